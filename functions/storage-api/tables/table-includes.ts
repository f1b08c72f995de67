import pMap from 'p-map'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableSummary } from '../../lib/storage/tables/table-resource.ts'
import { tableMetadata } from '../metadata/metadata-resource.ts'
import type { Services } from '../services.ts'

const LOADS_AT_ONCE = 16

/** Tables in a list, with what `include` asks for. */
export const listedTables = (
  services: Pick<Services, 'metadata'>,
  tables: TableRecord[],
  include: string[],
  baseUrl: string,
) => pMap(tables, table => listedTable(services, table, include, baseUrl), { concurrency: LOADS_AT_ONCE })

const listedTable = async (
  services: Pick<Services, 'metadata'>,
  table: TableRecord,
  include: string[],
  baseUrl: string,
) => {
  const hasMetadata = include.includes('metadata') || include.includes('columnMetadata')
  const found = hasMetadata ? await tableMetadata(services, table) : undefined
  return {
    ...tableSummary(table, baseUrl),
    ...(include.includes('columns') && { columns: table.snapshot.columns }),
    ...(found && include.includes('metadata') && { metadata: found.metadata }),
    ...(found && include.includes('columnMetadata') && { columnMetadata: found.columnMetadata }),
    ...(include.includes('attributes') && { attributes: [] }),
  }
}
