import { z } from 'zod'

const token = z.object({ id: z.string(), description: z.string() })
export type Author = z.infer<typeof token>

/** The tokens that stored the text, a secret in it, or how it is used. */
const authors = z.array(token)

/** Who changed something, when, and their comment. */
const change = z.object({
  /** ISO 8601. */
  at: z.string(),
  token,
  description: z.string(),
  /** The comment as the list of versions has it, if that differs. */
  listed: z.string().optional(),
  /** Identifies this version for ever. */
  identifier: z.string(),
})

export type Change = z.infer<typeof change>

/**
 * A JSON object as text, so that it is returned as it was sent (`{}` does not become a list, keys keep their order) and
 * so that comparing texts compares values.
 */
const jsonText = z.string()

const settings = {
  name: z.string(),
  description: z.string(),
  configuration: jsonText,
  authors,
  isDisabled: z.boolean(),
}

const row = z.object({
  id: z.string(),
  ...settings,
  /** Of the row alone, from 1. */
  version: z.number(),
  /** The configuration's version in which this version of the row was made. */
  configurationVersion: z.number(),
  created: z.string(),
  creatorToken: token,
  changed: change,
})

export type Row = z.infer<typeof row>

export const content = z.object({
  ...settings,
  isDeleted: z.boolean(),
  /** Empty until somebody sets it: rows are then ordered by id. */
  rowsSortOrder: z.array(z.string()),
  rows: z.array(row),
})

export type Content = z.infer<typeof content>

/** One version of a configuration with all its rows: what a rollback restores. States are not part of it. */
export const version = z.object({ version: z.number(), changed: change, content })
export type Version = z.infer<typeof version>

/** What does not depend on the version. */
export const memory = z.object({
  /** Of this very configuration. A new one under the same id, after a purge, gets another. */
  internalId: z.string(),
  created: z.string(),
  creatorToken: token,
  state: jsonText,
  /** Every row that ever existed: its highest version and its last state. */
  rows: z.array(z.object({ id: z.string(), version: z.number(), state: jsonText })),
  /** Digests of sealed values from elsewhere that may be opened here. */
  adoptedSecrets: z.array(z.string()),
})
export type Memory = z.infer<typeof memory>

export const rowSchema = row

/** A configuration as it is now. */
export interface Configuration extends Memory {
  id: string
  current: Version
}

export const emptyObject = '{}'

/** The tokens that stored the parts of what runs: the version, its text, its rows that are not switched off, their secrets. */
export const authorsOf = ({ current }: Pick<Configuration, 'current'>): Author[] => {
  const { authors, rows } = current.content
  const ofRows = rows.filter(({ isDisabled }) => !isDisabled).flatMap(each => each.authors)
  return distinctAuthors([current.changed.token, ...authors, ...ofRows])
}

export const distinctAuthors = (all: readonly Author[]): Author[] => [
  ...new Map(all.map(each => [each.id, each])).values(),
]

/** The last version number and state of a row. Version 0 if it never existed. */
export const rowMemory = ({ rows }: Pick<Memory, 'rows'>, rowId: string): Memory['rows'][number] =>
  rows.find(({ id }) => id === rowId) ?? { id: rowId, version: 0, state: emptyObject }

/** In the order that was set, or by id. */
export const rowsInOrder = ({ rows, rowsSortOrder }: Pick<Content, 'rows' | 'rowsSortOrder'>): Row[] => {
  const place = new Map(rowsSortOrder.map((id, index) => [id, index]))
  const placeOf = ({ id }: Row) => place.get(id) ?? Number.POSITIVE_INFINITY
  const byId = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return rowsSortOrder.length === 0 ? byId : byId.toSorted((a, b) => compare(placeOf(a), placeOf(b)))
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)

/** Where a configuration is. The ids have been validated. */
export interface ConfigurationPlace {
  branchId: number
  componentId: string
  configId: string
}
