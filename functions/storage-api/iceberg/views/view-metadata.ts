import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { decimalOf } from '#lib/iceberg/metadata/types.ts'
import type { AliasFilter } from '#lib/storage/tables/aliases/alias-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { columnNames, type TableField } from '#lib/table-engine/files/snapshot.ts'
import { isTyped } from '#lib/table-engine/types/field-type.ts'
import { readBound } from '#lib/table-engine/types/read-cell.ts'
import type { AliasHead } from '../names/heads-named.ts'

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

interface ViewSource {
  /** Of the table that holds the rows, in the catalog. */
  namespace: string
  table: string
  fields: readonly TableField[]
  /** Columns of the view. */
  columns: readonly string[]
  filters: readonly AliasFilter[]
}

/** The rows that an alias shows, as one query on the table that holds them: what `conditionsSql` asks of the table engine. */
const viewSql = ({ namespace, table, fields, columns, filters }: ViewSource, dialect: Dialect): string => {
  const { quote, catalog } = dialect
  const conditions = filters.map(filter => {
    const field = fields.find(({ name }) => name === filter.column)
    // The source of an alias keeps the columns that the alias names.
    if (!field) throw new Error(`The source of a view has no column ${filter.column}`)
    return `(${isTyped(field) ? byValue(filter, field, dialect) : byText(filter, field, dialect)})`
  })
  return [
    `SELECT ${columns.map(quote).join(', ')}`,
    `FROM ${catalog}${quote(namespace)}.${quote(table)}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
  ].join(' ')
}

/** A text that is not there is empty. */
const byText = ({ column, operator, values }: AliasFilter, field: TableField, dialect: Dialect): string => {
  const literals = values.map(value => literalOf(value, field, dialect))
  if (literals.length === 0) return operator === 'eq' ? 'false' : 'true'
  return `coalesce(${dialect.quote(column)}, '') ${operator === 'eq' ? 'IN' : 'NOT IN'} (${literals.join(', ')})`
}

/** An empty text stands for NULL, which is not among the rows of `ne`. A value that the column cannot hold equals none. */
const byValue = ({ column, operator, values }: AliasFilter, field: TableField, dialect: Dialect): string => {
  const name = dialect.quote(column)
  const literals = values
    .filter(value => value !== '')
    .map(value => readBound(value, field))
    .flatMap(read => ('value' in read && !read.isCut ? [literalOf(read.value, field, dialect)] : []))
  if (operator === 'eq') {
    const terms = [
      ...(values.includes('') ? [`${name} IS NULL`] : []),
      ...(literals.length > 0 ? [`${name} IN (${literals.join(', ')})`] : []),
    ]
    return terms.join(' OR ') || 'false'
  }
  if (values.length === 0) return 'true'
  return [
    `${name} IS NOT NULL`,
    ...(literals.length > 0 ? [`${name} NOT IN (${literals.join(', ')})`] : []),
  ].join(' AND ')
}

/** How an engine that knows views writes names and values. */
interface Dialect {
  /** As view representations name it. */
  name: string
  quote: (name: string) => string
  /** Of bytes of UTF-8 in hexadecimal digits. */
  textOf: (hex: string) => string
  timestamp: (wallTime: string) => string
  timestamptz: (utc: string) => string
  /** Before the namespace of a table. Spark puts its own catalog there; Trino wants one, which its users must call so. */
  catalog: string
}

const CATALOG_OF_VIEWS = 'millrace'

const doubled = (mark: string) => (name: string) => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`

const dialects: readonly Dialect[] = [
  {
    name: 'spark',
    quote: doubled('`'),
    textOf: hex => `decode(X'${hex}', 'UTF-8')`,
    timestamp: time => `CAST('${time}' AS timestamp_ntz)`,
    timestamptz: time => `CAST('${time}Z' AS timestamp)`,
    catalog: '',
  },
  {
    name: 'trino',
    quote: doubled('"'),
    textOf: hex => `from_utf8(X'${hex}')`,
    timestamp: time => `CAST('${time}' AS timestamp(6))`,
    timestamptz: time => `CAST('${time} UTC' AS timestamp(6) with time zone)`,
    catalog: `"${CATALOG_OF_VIEWS}".`,
  },
]

/** What both read alike. A backslash, a quote and `$` are read differently. */
const PLAIN = /^[\w .,:;@+/-]*$/

/** A value in the form of `ReadCell` as a literal. */
const literalOf = (value: string, { type }: Pick<TableField, 'type'>, dialect: Dialect): string => {
  const time = value.replace('T', ' ').replace('Z', '')
  if (decimalOf(type)) return `CAST('${value}' AS ${type})`
  switch (type) {
    case 'long':
      return `CAST('${value}' AS bigint)`
    case 'double':
      return `CAST('${value}' AS double)`
    case 'boolean':
      return value
    case 'date':
      return `DATE '${value}'`
    case 'timestamp':
      return dialect.timestamp(time)
    case 'timestamptz':
      return dialect.timestamptz(time)
    default:
      return PLAIN.test(value)
        ? `'${value}'`
        : dialect.textOf(Buffer.from(value).toString('hex').toUpperCase())
  }
}
