import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteIdentifier, quoteList, quoteLiteral, quoteTimestamp } from '#lib/table-engine/duckdb/sql.ts'

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.constantFrom("'", '"', '\\', ';', '--', '/*', '\n', '$$', '{', 'x'))
      .map(parts => parts.join('')),
  )
  // Its Node client drops a byte order mark at the start of a text.
  .filter(text => !text.includes('\0') && !text.startsWith('\ufeff'))

const connect = async () => (await DuckDBInstance.create(':memory:')).connect()

describe('quoting', () => {
  it('makes any text a literal', async () => {
    const connection = await connect()
    await fc.assert(
      fc.asyncProperty(text, async value => {
        const reader = await connection.runAndReadAll(
          `SELECT ${quoteLiteral(value)}, ${quoteList([value, value])}`,
        )
        expect(reader.getRowsJS()).toEqual([[value, [value, value]]])
      }),
    )
  })

  it('makes any text an identifier', async () => {
    const connection = await connect()
    await fc.assert(
      fc.asyncProperty(text, async name => {
        fc.pre(name !== '')
        const reader = await connection.runAndReadAll(
          `SELECT ${quoteIdentifier(name)} FROM (SELECT 1 AS ${quoteIdentifier(name)})`,
        )
        expect(reader.columnNames()).toEqual([name])
      }),
    )
  })

  it('keeps the milliseconds of a time', async () => {
    const time = new Date('2024-02-29T23:59:59.007Z')
    const reader = await (await connect()).runAndReadAll(`SELECT epoch_ms(${quoteTimestamp(time)})`)
    expect(reader.getRowsJS()).toEqual([[BigInt(time.getTime())]])
  })

  it('refuses NUL, which would end the statement', () => {
    expect(() => quoteLiteral('a\0b')).toThrow(TypeError)
    expect(() => quoteIdentifier('a\0b')).toThrow(TypeError)
  })
})
