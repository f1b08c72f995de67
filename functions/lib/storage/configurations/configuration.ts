import { z } from 'zod'

/** Who changed something, when, and what they said of it. */
const change = z.object({
  /** ISO 8601. */
  at: z.string(),
  token: z.object({ id: z.string(), description: z.string() }),
  description: z.string(),
  /** Names this very version for ever. */
  identifier: z.string(),
})

export type Change = z.infer<typeof change>

/**
 * A JSON object as text. Kept as text so that what was sent comes back the same (`{}` stays no list, keys keep their
 * order), and so that "the same value" is a comparison of two texts.
 */
const jsonText = z.string()

const row = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  configuration: jsonText,
  isDisabled: z.boolean(),
  /** Of the row alone, from 1. */
  version: z.number(),
  /** Version of the configuration that this version of the row came with. */
  configurationVersion: z.number(),
  created: z.string(),
  creatorToken: change.shape.token,
  changed: change,
})

export type Row = z.infer<typeof row>

export const content = z.object({
  name: z.string(),
  description: z.string(),
  configuration: jsonText,
  isDisabled: z.boolean(),
  isDeleted: z.boolean(),
  /** Empty until somebody set it; rows are in the order of their ids then. */
  rowsSortOrder: z.array(z.string()),
  rows: z.array(row),
})

export type Content = z.infer<typeof content>

/** One version of a configuration with all its rows: what a rollback goes back to. States are no part of it. */
export const version = z.object({ version: z.number(), changed: change, content })
export type Version = z.infer<typeof version>

/** What is true of a configuration whatever its version. */
export const memory = z.object({
  /** Of this very configuration: one that is made again under its id after a purge gets another. */
  internalId: z.string(),
  created: z.string(),
  creatorToken: change.shape.token,
  state: jsonText,
  /** Every row there ever was: its highest version and its last state. */
  rows: z.array(z.object({ id: z.string(), version: z.number(), state: jsonText })),
  /**
   * While its schedule does not run: a token of lesser rights (`by`) stored it after the one whose rights it ran with.
   */
  disarmed: z.object({ by: change.shape.token, armedBy: change.shape.token }).optional(),
  /** Absent while version 0.1 wrote it last. */
  secrets: z
    .object({
      /** Digests of sealed values that open here although they were sealed elsewhere. */
      adopted: z.array(z.string()),
      /** The last version that version 0.1 wrote: it did not bind secrets to their configuration. */
      unboundUntil: z.number(),
    })
    .optional(),
})
export type Memory = z.infer<typeof memory>

export const rowSchema = row

/** A configuration as it is now. */
export interface Configuration extends Memory {
  id: string
  current: Version
}

export const emptyObject = '{}'

/** The last version number and state of a row; version 0 for one that never was. */
export const rowMemory = ({ rows }: Pick<Memory, 'rows'>, rowId: string): Memory['rows'][number] =>
  rows.find(({ id }) => id === rowId) ?? { id: rowId, version: 0, state: emptyObject }

/** The configuration with what is remembered of one row replaced. */
export const rememberRow = (
  configuration: Configuration,
  remembered: Memory['rows'][number],
): Configuration => ({
  ...configuration,
  rows: [...configuration.rows.filter(({ id }) => id !== remembered.id), remembered],
})

/** The configuration with its next version: the current content with these parts replaced. */
export const nextVersion = (
  configuration: Configuration,
  parts: Partial<Content>,
  changed: Change,
): Configuration => ({
  ...configuration,
  current: {
    version: configuration.current.version + 1,
    changed,
    content: { ...configuration.current.content, ...parts },
  },
})

/** In the set order or, while none is set, by id. */
export const rowsInOrder = ({ rows, rowsSortOrder }: Pick<Content, 'rows' | 'rowsSortOrder'>): Row[] => {
  const place = new Map(rowsSortOrder.map((id, index) => [id, index]))
  const placeOf = ({ id }: Row) => place.get(id) ?? Number.POSITIVE_INFINITY
  const byId = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return rowsSortOrder.length === 0 ? byId : byId.toSorted((a, b) => compare(placeOf(a), placeOf(b)))
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
