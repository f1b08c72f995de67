import { UserError } from '#lib/errors/errors.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { TableAccess } from '../access/table-access.ts'

/** The metadata file that the head of a table names. Error: 400 `iceberg.notMigrated`. */
export const currentMetadata = async (
  table: TableHead,
  { locationOf, readText }: Pick<TableAccess, 'locationOf' | 'readText'>,
): Promise<{ location: string; text: string }> => {
  const { metadataKey } = table
  if (metadataKey === undefined)
    throw new UserError(
      'iceberg.notMigrated',
      `The table "${tableIdOf(table)}" has not been changed since version 0.1 and has no Iceberg metadata yet. ` +
        'Run `millrace migrate tables`, or change the table.',
    )
  const location = locationOf(metadataKey)
  return { location, text: await readText(location) }
}
