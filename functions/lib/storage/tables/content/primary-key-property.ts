import { z } from 'zod'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'

/** Property of a table's metadata that holds its primary key, so that the key of an earlier time is known too. */
const PRIMARY_KEY_PROPERTY = 'millrace.primary-key'

const columns = z.array(z.string())

/** The property as it must be, or none when it is so already. */
export const keyProperty = (
  { primaryKey }: Pick<Snapshot, 'primaryKey'>,
  metadata: TableMetadata | undefined,
): Record<string, string> => {
  const value = JSON.stringify(primaryKey)
  return metadata?.properties[PRIMARY_KEY_PROPERTY] === value ? {} : { [PRIMARY_KEY_PROPERTY]: value }
}

/** The primary key that the metadata holds. `undefined`: it holds none, not even an empty one. */
export const keyIn = ({ properties }: TableMetadata): string[] | undefined => {
  const value = properties[PRIMARY_KEY_PROPERTY]
  return value === undefined ? undefined : columns.parse(JSON.parse(value))
}
