import pMap from 'p-map'
import type { TableStore } from '../tables/table-store.ts'

/** Of each table the job that imported into it last. A table without any import is left out. */
export type Imports = Record<string, number>

const READS_AT_ONCE = 16

/** The last imports of these tables. Reads their heads, whatever else is in their buckets. */
export const lastImports = async (
  tableIds: readonly string[],
  tables: Pick<TableStore, 'getHead'>,
): Promise<Imports> => {
  const found = await pMap(
    new Set(tableIds),
    async (tableId): Promise<[string, number][]> => {
      const table = await tables.getHead(tableId)
      return table && table.lastImportDate !== null ? [[tableId, table.lastJobId]] : []
    },
    { concurrency: READS_AT_ONCE },
  )
  return Object.fromEntries(found.flat())
}
