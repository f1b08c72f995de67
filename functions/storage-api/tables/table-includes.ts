import { emptyTableMetadata, tableSummary } from '../../lib/storage-resources/table-resource.ts'
import type { TableRecord } from '../../lib/storage-store/table-store.ts'

/** A table in a list, with what `include` asks for. */
export const listedTable = (table: TableRecord, include: string[], baseUrl: string) => ({
  ...tableSummary(table, baseUrl),
  ...(include.includes('columns') && { columns: table.snapshot.columns }),
  ...(include.includes('metadata') && { metadata: emptyTableMetadata.metadata }),
  ...(include.includes('columnMetadata') && { columnMetadata: emptyTableMetadata.columnMetadata }),
  ...(include.includes('attributes') && { attributes: [] }),
})
