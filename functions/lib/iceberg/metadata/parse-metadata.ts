import { IcebergRefusal } from '../refusal.ts'
import { formatLongJson, parseLongJson } from './long-json.ts'
import { type TableMetadata, tableMetadata } from './table-metadata.ts'
import type { TableSchema } from './types.ts'

/**
 * Reads the text of a metadata file that we wrote, or that an engine wrote after one of ours. Throws `IcebergRefusal` for any other.
 */
export const parseMetadata = (text: string): TableMetadata => {
  try {
    return tableMetadata.parse(parseLongJson(text))
  } catch (cause) {
    throw new IcebergRefusal('The table metadata is not of a table that is written here.', { cause })
  }
}

export const formatMetadata = (metadata: TableMetadata): string => formatLongJson(metadata)

export const schemaById = (metadata: TableMetadata, id: number): TableSchema => {
  const schema = metadata.schemas.find(candidate => candidate['schema-id'] === id)
  if (!schema) throw new IcebergRefusal(`The table metadata has no schema with the id ${id}.`)
  return schema
}

export const currentSchema = (metadata: TableMetadata): TableSchema =>
  schemaById(metadata, metadata['current-schema-id'])
