import { parseTableId } from '../storage-ids.ts'
import type { TableHead } from '../tables/table-record.ts'
import { type TableStore, tableIdOf } from '../tables/table-store.ts'

/** Of each table the job that imported into it last. A table without any import is left out. */
export type Imports = Record<string, number>

/** The last imports of these tables. Reads their buckets, which is one query each. */
export const lastImports = async (
  tableIds: readonly string[],
  tables: Pick<TableStore, 'listInBucket'>,
): Promise<Imports> => {
  const wanted = new Set(tableIds)
  const buckets = new Set(tableIds.flatMap(id => parseTableId(id)?.bucketId ?? []))
  const found: [string, number][] = []
  for (const bucketId of buckets)
    for (const table of await tables.listInBucket(bucketId))
      if (wanted.has(tableIdOf(table)) && table.lastImportDate !== null) found.push(importOf(table))
  return Object.fromEntries(found)
}

const importOf = (table: TableHead): [string, number] => [tableIdOf(table), table.lastLoad.jobId]
