import { adoptSecrets } from './adopted-secrets.ts'
import { newConfiguration, nextVersion, rememberRow } from './change-configuration.ts'
import { type Change, type Configuration, type Row, rowMemory } from './configuration.ts'

export interface Difference {
  /**
   * `same`: there is nothing to merge, also when both have deleted it. `conflict`: the default branch has changed it too, or has one of its own under
   * the id.
   */
  kind: 'same' | 'change' | 'conflict'
  /** The configuration in the default branch. */
  target: Configuration | undefined
}

/**
 * Compares a branch's configuration with the default branch's. `first`: the change that made its first version. A copy
 * has the identifier of the version that it was made of, so it shows whether either side has moved since.
 */
export const compareBranches = (
  source: Configuration,
  first: Change | undefined,
  target: Configuration | undefined,
): Difference => {
  const { identifier } = source.current.changed
  const isCopy = first?.listed !== undefined
  const isUnchanged = isCopy && identifier === first.identifier
  const isMerged = identifier === target?.current.changed.identifier
  const isGone = source.current.content.isDeleted && (!target || target.current.content.isDeleted)
  if (isUnchanged || isMerged || isGone) return { kind: 'same', target }
  if (!target) return { kind: isCopy ? 'conflict' : 'change', target }
  const isBase = isCopy && target.current.changed.identifier === first.identifier
  return { kind: isBase ? 'change' : 'conflict', target }
}

/**
 * The default branch's configuration with the content of the branch's as its next version. It gets the identifier of the
 * branch's version: so a repeated merge finds its work done. States stay as they are in the default branch.
 */
export const mergedConfiguration = (
  target: Configuration | undefined,
  source: Configuration,
  { internalId, changed }: { internalId: string; changed: Change },
): Configuration => {
  const { content } = source.current
  const isNew = target === undefined
  const base = target ?? newConfiguration(source.id, internalId, {}, changed)
  const configurationVersion = isNew ? 1 : base.current.version + 1
  const before = new Map(target?.current.content.rows.map(row => [row.id, row]))
  const rows = content.rows.map(row => {
    const own = before.get(row.id)
    if (own && isSameRow(own, row)) return own
    const version = rowMemory(base, row.id).version + 1
    return {
      ...row,
      version,
      configurationVersion,
      changed: { ...changed, identifier: row.changed.identifier },
    }
  })
  const remembered = rows.reduce(
    (configuration, { id, version }) => rememberRow(configuration, { ...rowMemory(base, id), version }),
    base,
  )
  const merged = isNew
    ? { ...remembered, current: { version: 1, changed, content: { ...content, rows } } }
    : nextVersion(remembered, { ...content, rows }, changed)
  return adoptSecrets(merged, source.adoptedSecrets)
}

type RowContent = Pick<Row, 'name' | 'description' | 'configuration' | 'isDisabled'>

export const isSameRow = (a: RowContent, b: RowContent): boolean =>
  a.name === b.name &&
  a.description === b.description &&
  a.configuration === b.configuration &&
  a.isDisabled === b.isDisabled
