import { columnNames, type Snapshot } from '#lib/table-engine/files/snapshot.ts'
import type { AliasedTable, TableHead, TableRecord } from '../table-record.ts'
import { type AliasRecord, idsOf } from './alias-record.ts'

type Readable<Root extends TableHead> = Root | AliasedTable<Root>

/**
 * The alias as readers see it: a table of its own name with the content of its source. `undefined` when the source is
 * gone: then the alias is gone too. `find` finds the source, which may be an alias itself.
 */
export const resolveAlias = async <Root extends TableHead>(
  alias: AliasRecord,
  find: (tableId: string) => Promise<Readable<Root> | undefined>,
): Promise<AliasedTable<Root> | undefined> => {
  const source = await find(alias.sourceTableId)
  return source && idsOf(source).includes(alias.sourceInternalId) ? seenThrough(alias, source) : undefined
}

const seenThrough = <Root extends TableHead>(
  alias: AliasRecord,
  source: Readable<Root>,
): AliasedTable<Root> => {
  const { internalId, bucketId, name, displayName, created, revision, filter, columns, branchId, copyOf } =
    alias
  const { lastImportDate, lastChangeDate, lastJobId, definition, snapshot } = source
  const [root, between] = isAliased(source) ? [source.alias.root, source.alias] : [source, undefined]
  return {
    internalId,
    bucketId,
    name,
    displayName,
    created,
    revision,
    ...(branchId !== undefined && { branchId }),
    ...(copyOf !== undefined && { copyOf }),
    lastImportDate,
    lastChangeDate,
    lastJobId,
    ...(definition && { definition }),
    snapshot: columns ? withColumnsOnly(snapshot, columns) : snapshot,
    alias: {
      record: alias,
      source: { name: source.name, definition, snapshot },
      root,
      filters: [...(between?.filters ?? []), ...(filter ? [filter] : [])],
      contentRevision: `${contentRevision(source)}/${internalId}.${revision}`,
    },
  }
}

export const isAliased = <Root extends TableHead>(table: Readable<Root>): table is AliasedTable<Root> =>
  table.alias !== undefined

/** Changes whenever the rows that a table or an alias shows may have changed. */
export const contentRevision = (table: TableHead): string =>
  table.alias?.contentRevision ?? `${table.internalId}.${table.revision}`

/** A key that is not shown whole is none. */
const withColumnsOnly = <Shown extends Pick<Snapshot, 'fields' | 'primaryKey'>>(
  snapshot: Shown,
  columns: string[],
): Shown => {
  const fields = columns.flatMap(name => snapshot.fields.find(field => field.name === name) ?? [])
  const names = columnNames({ fields })
  const hasKey = snapshot.primaryKey.every(name => names.includes(name))
  return { ...snapshot, fields, primaryKey: hasKey ? snapshot.primaryKey : [] }
}

/** A table whose rows can be read: one that has them, or an alias of one. With the files of the rows. */
export type ReadableTable = Readable<TableRecord>
