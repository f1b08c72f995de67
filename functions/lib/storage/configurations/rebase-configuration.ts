import { adoptSecrets } from './adopted-secrets.ts'
import { branchConfiguration } from './branch-configuration.ts'
import { nextVersion, rememberRow, trashConfiguration } from './change-configuration.ts'
import {
  type Author,
  type Change,
  type Configuration,
  type Content,
  distinctAuthors,
  type Row,
  rowMemory,
  type Version,
} from './configuration.ts'
import { isSameRow } from './merge-branch.ts'

/** What a person made of both sides. JSON objects are given as the text to store. */
export interface Resolved extends Pick<Content, 'name' | 'description' | 'configuration' | 'isDisabled'> {
  authors: readonly Author[]
  /** All of them, in their order. */
  rows: (Pick<Row, 'id' | 'name' | 'description' | 'configuration' | 'isDisabled'> & {
    authors: readonly Author[]
  })[]
}

interface Sides {
  /** The branch's configuration as it was until now. */
  before: Configuration
  /** The default branch's configuration, and the version of it that the branch begins with from now on. */
  original: Configuration
  onto: Version
}

/**
 * A branch's configuration as if it had begun with `onto`: that is its version 1, and what was resolved its version 2. `resolved`
 * `undefined`: it is deleted. States stay those of the branch.
 */
export const rebaseConfiguration = (
  { before, original, onto }: Sides,
  resolved: Resolved | undefined,
  { internalId, changed }: { internalId: string; changed: Change },
): { base: Configuration; rebased: Configuration } => {
  const { at, token } = changed
  const copy = branchConfiguration({ ...original, current: onto }, { internalId, at, token })
  const base = adoptSecrets(withStatesOf(before, copy), before.adoptedSecrets)
  if (!resolved) return { base, rebased: trashConfiguration(base, changed) }

  const ofBase = new Map(base.current.content.rows.map(row => [row.id, row]))
  const rows = resolved.rows.map(row => resolvedRow(row, ofBase.get(row.id), changed))
  const remembered = rows.reduce(
    (configuration, { id, version }) =>
      rememberRow(configuration, { id, version, state: stateOfRow(id, before, base) }),
    base,
  )
  const { name, description, configuration, isDisabled } = resolved
  const content = {
    ...{ name, description, configuration, isDisabled, rows, isDeleted: false },
    authors: distinctAuthors([token, ...resolved.authors]),
    rowsSortOrder: rows.map(({ id }) => id),
  }
  return { base, rebased: nextVersion(remembered, content, changed) }
}

const withStatesOf = (before: Configuration, copy: Configuration): Configuration => ({
  ...copy,
  state: before.state,
  rows: copy.rows.map(row => ({ ...row, state: stateOfRow(row.id, before, copy) })),
})

const stateOfRow = (id: string, before: Configuration, base: Configuration): string => {
  const { version, state } = rowMemory(before, id)
  return version > 0 ? state : rowMemory(base, id).state
}

const resolvedRow = (row: Resolved['rows'][number], ofBase: Row | undefined, changed: Change): Row => {
  if (ofBase && isSameRow(ofBase, row)) return ofBase
  return {
    ...{ created: changed.at, creatorToken: changed.token },
    ...ofBase,
    ...row,
    authors: distinctAuthors([changed.token, ...row.authors]),
    version: (ofBase?.version ?? 0) + 1,
    configurationVersion: 2,
    changed,
  }
}
