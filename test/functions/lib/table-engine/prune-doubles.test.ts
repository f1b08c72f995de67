import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { footerBytes, parseFooter } from '#lib/table-engine/files/footer.ts'
import { emptySnapshot, type Snapshot, type TableFile, withFiles } from '#lib/table-engine/files/snapshot.ts'
import { fileStatistics } from '#lib/table-engine/parquet/file-statistics.ts'
import { mayHoldMatches } from '#lib/table-engine/rows/find-rows.ts'
import { type Filter, operators } from '#lib/table-engine/rows/row-conditions.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

/** `null`: NULL. */
type Cell = number | null

const numbers = [1, 2, 3, 4]
const cells = fc.array(fc.constantFrom<Cell>(null, Number.NaN, ...numbers), { minLength: 1, maxLength: 5 })
const filter = fc.record<Filter>({
  column: fc.constant('x'),
  operator: fc.constantFrom(...operators),
  values: fc.array(fc.constantFrom('0', '1', '2.5', '3', '4', '9'), { minLength: 1, maxLength: 2 }),
})

/** NaN is above all numbers and equal to none of them; NULL fulfils nothing. */
const matches = (cell: Cell, { operator, values }: Filter): boolean => {
  if (cell === null) return false
  const [first = 0] = values.map(Number)
  switch (operator) {
    case 'eq':
      return values.map(Number).includes(cell)
    case 'ne':
      return !values.map(Number).includes(cell)
    case 'gt':
      return Number.isNaN(cell) || cell > first
    case 'ge':
      return Number.isNaN(cell) || cell >= first
    case 'lt':
      return cell < first
    case 'le':
      return cell <= first
  }
}

const untyped = emptySnapshot(['x'], [])
const empty: Snapshot = {
  ...untyped,
  fields: untyped.fields.map(field => ({ ...field, type: 'double', rules: { nullable: true } })),
}
const [x] = empty.fields

it('a file with a double that matches is never left out, unless it is known to hold no NaN', () => {
  fc.assert(
    fc.property(cells, filter, fc.boolean(), (column, condition, countsNans) => {
      const ordered = column.filter(cell => cell !== null && !Number.isNaN(cell)).map(Number)
      const bounds = {
        lower: ordered.length > 0 ? String(Math.min(...ordered)) : undefined,
        upper: ordered.length > 0 ? String(Math.max(...ordered)) : undefined,
        nulls: column.filter(cell => cell === null).length,
        nans: countsNans ? column.filter(Number.isNaN).length : undefined,
      }
      const mayHold = mayHoldMatches(empty, { where: [condition] }, () => bounds)
      if (column.some(cell => matches(cell, condition))) expect(mayHold).toBe(true)
    }),
    { numRuns: 2000 },
  )
  const without = { lower: '1', upper: '2', nulls: 0, nans: 0 }
  const isGreater: Filter = { column: 'x', operator: 'gt', values: ['3'] }
  expect(mayHoldMatches(empty, { where: [isGreater] }, () => without)).toBe(false)
})

const tables = await untilEnd(createTableFixture())

const bytesOf = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

/** Becomes NaN once it is written. */
const MARK = 1.0625

/**
 * A file as another engine may write it: its bounds leave NaN out, as the format asks for. DuckDB writes no bounds then, so it
 * writes another number within the bounds, which is replaced afterwards.
 */
const storeFile = async (column: Cell[], writer: 'ours' | 'another'): Promise<TableFile> => {
  const key = `tables/1/doubles/${writer}-${column.join('-')}.parquet`
  const file = path.join(tables.folder, 'tables', key)
  await mkdir(path.dirname(file), { recursive: true })
  const nan = writer === 'ours' ? `'nan'::DOUBLE` : MARK
  const values = column.map(cell => (cell === null ? 'NULL' : Number.isNaN(cell) ? nan : cell))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  try {
    await connection.run(`
      COPY (SELECT unnest([${values.join(', ')}]::DOUBLE[]) AS x, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS "_timestamp")
      TO '${file}' (FORMAT parquet, COMPRESSION uncompressed, FIELD_IDS {x: ${x?.id}, "_timestamp": 1})`)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
  const content = await readFile(file)
  const marked = content.indexOf(bytesOf(MARK))
  if (marked !== -1) bytesOf(Number.NaN).copy(content, marked)
  await writeFile(file, content)
  const footer = parseFooter(content.subarray(content.length - footerBytes(content)))
  const statistics = fileStatistics(footer, empty.fields)
  if (writer === 'another') for (const known of Object.values(statistics)) delete known.nans
  return { key, rows: column.length, bytes: content.length, statistics }
}

it('each NaN that bounds leave out is found, in files of ours and of other engines', async () => {
  const files = [
    { column: [1, Number.NaN, 2], writer: 'another' as const },
    { column: [null, Number.NaN, 3], writer: 'ours' as const },
    { column: [3, 4, null], writer: 'ours' as const },
    { column: [1, Number.NaN, 1.5], writer: 'another' as const },
  ]
  const stored = await Promise.all(files.map(({ column, writer }) => storeFile(column, writer)))
  const ofX = stored.map(({ statistics }) => statistics?.[x?.id ?? 0])
  // Of a file of ours that holds a NaN there are no bounds, and it is not said to hold none.
  expect(ofX.map(known => [known?.upper, known?.nans])).toEqual([
    ['2', undefined],
    [undefined, undefined],
    ['4', 0],
    ['1.5', undefined],
  ])
  const snapshot = withFiles(empty, stored)
  const all = files.flatMap(({ column }) => column)
  for (const operator of operators)
    for (const value of ['1', '2.5', '9']) {
      const where = [{ column: 'x', operator, values: [value] }]
      const expected = all.filter(cell => matches(cell, { column: 'x', operator, values: [value] }))
      const { rows } = await tables.engine.preview(snapshot, { limit: 100, columns: ['x'], where })
      expect(
        rows.map(([cell]) => Number(cell)),
        `${operator} ${value}`,
      ).toEqual(expected)
    }
  const where = [{ column: 'x', operator: 'gt' as const, values: ['9'] }]
  const target = { bucket: 'data', key: 'doubles' }
  const exported = await tables.engine.export({ snapshot, fileType: 'csv', gzip: false, target, where })
  expect(exported.rowsCount).toBe(3)
  const left = await tables.engine.deleteRows({ snapshot, keyPrefix: 'tables/1/left/', where })
  expect(left.snapshot.rowsCount).toBe(all.length - 3)
})
