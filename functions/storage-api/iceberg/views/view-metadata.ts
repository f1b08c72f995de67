import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { columnNames } from '#lib/table-engine/snapshot.ts'
import type { AliasHead } from '../names/heads-named.ts'
import { dialects } from './dialects.ts'
import { viewSql } from './view-sql.ts'

interface ViewRequest {
  alias: AliasHead
  /** Of the table that holds the rows. */
  metadata: TableMetadata
  namespace: string
  table: string
  /** Where the view is served: it has no file. */
  location: string
}

/** An alias as the metadata of a view (Iceberg View Specification, version 1), made anew for each request. */
export const viewMetadata = ({ alias, metadata, namespace, table, location }: ViewRequest) => {
  const { record, filters, root } = alias.alias
  const schema = metadata.schemas.find(each => each['schema-id'] === metadata['current-schema-id'])
  if (!schema) throw new Error(`The table ${tableIdOf(root)} has no current schema`)
  const columns = [...columnNames(alias.snapshot), '_timestamp']
  const shown = columns.flatMap(name => schema.fields.filter(field => field.name === name))
  const source = { namespace, table, fields: root.snapshot.fields, columns, filters }
  const versionId = record.revision + 1
  const timeMs = Date.parse(record.created)
  return {
    'view-uuid': digestUuid(`view ${record.internalId}`),
    'format-version': 1,
    location,
    'current-version-id': versionId,
    versions: [
      {
        'version-id': versionId,
        'timestamp-ms': timeMs,
        'schema-id': 0,
        summary: {},
        'default-namespace': [namespace],
        representations: dialects.map(dialect => ({
          type: 'sql',
          sql: viewSql(source, dialect),
          dialect: dialect.name,
        })),
      },
    ],
    'version-log': [{ 'timestamp-ms': timeMs, 'version-id': versionId }],
    schemas: [{ type: 'struct', 'schema-id': 0, fields: shown }],
    properties: { 'alias-id': tableIdOf(alias), 'source-table-id': record.sourceTableId },
  }
}
