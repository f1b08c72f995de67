import { decimalOf } from '#lib/iceberg/metadata/types.ts'
import type { TableField } from '#lib/table-engine/files/snapshot.ts'

/** How an engine that knows views writes names and values. */
export interface Dialect {
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

export const dialects: readonly Dialect[] = [
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
export const literalOf = (value: string, { type }: Pick<TableField, 'type'>, dialect: Dialect): string => {
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
