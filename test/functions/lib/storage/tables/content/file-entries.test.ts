import { expect, it } from 'vitest'
import { filesChange, livePaths } from '#lib/storage/tables/content/file-entries.ts'

it('position deletes have bounds of both their columns, which Trino reads without looking', () => {
  const file = {
    key: 'a.parquet',
    rows: 300,
    bytes: 10,
    statistics: {},
    deletes: { key: 'd.parquet', rows: 2, bytes: 5 },
  }
  const places = { locationOf: (key: string) => `s3://t/${key}`, keyOf: (path: string) => path.slice(7) }
  const { added } = filesChange(livePaths([]), { fields: [], files: [file] }, places)
  const deletes = added.find(({ content }) => content === 'positionDeletes')
  const path = Buffer.from('s3://t/a.parquet')
  const long = (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(value)
    return bytes
  }
  // Specification, "Reserved Field IDs" and "Binary single-value serialization"
  expect([...(deletes?.columns ?? [])]).toEqual([
    [2147483546, { values: 2, nulls: 0, lower: path, upper: path }],
    [2147483545, { values: 2, nulls: 0, lower: long(0n), upper: long(299n) }],
  ])
})
