import { type Metadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { typeMetadata } from '../../lib/storage/tables/type-metadata.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { mayReadTable } from '../http/rights.ts'
import type { Caller, Services } from '../services/services.ts'

/** A metadatum on the wire (docs/reference/storage-api.md#metadata). In configurations it has no provider. */
export const metadatumResource = ({ id, key, value, provider, timestamp }: Metadatum) => ({
  id,
  key,
  value,
  ...(provider !== '' && { provider }),
  timestamp: wireDate(timestamp),
})

type Resources = ReturnType<typeof metadatumResource>[]

/** All metadata of a table and its columns: first what follows from its types, then what was set. */
export const allTableMetadata = async ({ metadata }: Services, table: TableHead): Promise<Metadatum[]> => [
  ...typeMetadata(table),
  ...(await metadata.list(metadataSubject.table(table))),
]

/** The metadata of a table and, by column name, of its columns. */
export const tableMetadata = async (
  services: Services,
  table: TableHead,
): Promise<{ metadata: Resources; columnMetadata: Record<string, Resources> }> => {
  const all = await allTableMetadata(services, table)
  const ofColumn = (column: string) => all.filter(each => each.column === column).map(metadatumResource)
  const columns = columnNames(table.snapshot)
    .map(column => [column, ofColumn(column)] as const)
    .filter(([, found]) => found.length > 0)
  return {
    metadata: ofColumn(''),
    columnMetadata: Object.fromEntries(columns),
  }
}

/**
 * What an alias shows of the metadata of the table whose rows it shows: nothing of columns that it does not show, and nothing to who may not
 * read that table.
 */
export const sourceMetadata = async (
  services: Services,
  { alias, snapshot }: TableHead,
  caller: Caller,
): Promise<Awaited<ReturnType<typeof tableMetadata>>> =>
  alias && mayReadTable(caller, tableIdOf(alias.root))
    ? tableMetadata(services, { ...alias.root, snapshot })
    : { metadata: [], columnMetadata: {} }

/** The metadata of anything but a table. */
export const metadataOf = async ({ metadata }: Services, subject: string): Promise<Resources> =>
  (await metadata.list(subject)).map(metadatumResource)
