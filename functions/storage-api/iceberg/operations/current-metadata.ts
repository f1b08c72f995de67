import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { TableAccess } from '../../services/table-access.ts'

/** The metadata file that the head of a table names. */
export const currentMetadata = async (
  table: TableHead,
  { locationOf, readText }: Pick<TableAccess, 'locationOf' | 'readText'>,
): Promise<{ location: string; text: string }> => {
  const { metadataKey } = table
  if (metadataKey === undefined) throw new Error(`The table "${tableIdOf(table)}" has no metadata.`)
  const location = locationOf(metadataKey)
  return { location, text: await readText(location) }
}
