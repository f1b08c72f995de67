import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import { footerBytes, parseFooter } from '#lib/table-engine/files/footer.ts'
import { emptySnapshot, type Snapshot, type TableFile, withFiles } from '#lib/table-engine/files/snapshot.ts'
import { fileStatistics } from '#lib/table-engine/parquet/file-statistics.ts'
import { mayHoldMatches } from '#lib/table-engine/rows/find-rows.ts'
import { type Filter, operators } from '#lib/table-engine/rows/row-conditions.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

type Cell = string | null

const letters = ['', 'A', 'a', 'b', 'bb', 'c']
const cells = fc.array(fc.constantFrom<Cell>(null, ...letters), { minLength: 1, maxLength: 3 })
const filter = fc.record<Filter>({
  column: fc.constant('text'),
  operator: fc.constantFrom(...operators),
  values: fc.array(fc.constantFrom(...letters, 'B', 'd'), { minLength: 1, maxLength: 2 }),
})

/** Null is read as the empty text. */
const matches = (cell: Cell, { operator, values }: Filter): boolean => {
  const text = cell ?? ''
  const [first = ''] = values
  switch (operator) {
    case 'eq':
      return values.includes(text)
    case 'ne':
      return !values.includes(text)
    case 'gt':
      return text > first
    case 'ge':
      return text >= first
    case 'lt':
      return text < first
    case 'le':
      return text <= first
  }
}

const empty = emptySnapshot(['n', 'text'], [])

it('a file with a row that matches is never left out, whatever it says of its nulls', () => {
  fc.assert(
    fc.property(cells, filter, fc.boolean(), (column, condition, countsNulls) => {
      const texts = column.filter(cell => cell !== null).toSorted()
      const bounds = {
        lower: texts[0],
        upper: texts.at(-1),
        nulls: countsNulls ? column.length - texts.length : undefined,
      }
      const mayHold = mayHoldMatches(empty, { where: [condition] }, () => bounds)
      if (column.some(cell => matches(cell, condition))) expect(mayHold).toBe(true)
    }),
    { numRuns: 2000 },
  )
  const without = { lower: 'b', upper: 'c', nulls: 0 }
  const isEmpty: Filter = { column: 'text', operator: 'eq', values: [''] }
  expect(mayHoldMatches(empty, { where: [isEmpty] }, () => without)).toBe(false)
})

/** The least that DuckDB writes, when there are several. */
const GROUP_ROWS = 2048

const tables = await untilEnd(createTableFixture())

let written = 0

/** Files as another engine may write them. The cells of a row group are repeated as often as it takes. */
const writeFiles = async (files: Cell[][][]): Promise<Snapshot> => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const stored: TableFile[] = []
  try {
    for (const groups of files) {
      const key = `tables/1/nulls/${written++}.parquet`
      const file = path.join(tables.folder, 'tables', key)
      await mkdir(path.dirname(file), { recursive: true })
      const cellOf = groups.map((group, index) => {
        const list = group.map(cell => (cell === null ? 'NULL' : quoteLiteral(cell))).join(', ')
        return `WHEN ${index} THEN [${list}][(i % ${GROUP_ROWS}) % ${group.length} + 1]`
      })
      const rows = rowsOf(groups).length
      await connection.run(`
        COPY (
          SELECT lpad(i::VARCHAR, 6, '0') AS n, (CASE i // ${GROUP_ROWS} ${cellOf.join(' ')} END)::VARCHAR AS text,
            TIMESTAMPTZ '2024-01-01 00:00:00+00' AS "_timestamp"
          FROM range(${rows}) numbers(i)
        ) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${GROUP_ROWS}, FIELD_IDS {n: 2, text: 3, "_timestamp": 1})`)
      const content = await readFile(file)
      const footer = parseFooter(content.subarray(content.length - footerBytes(content)))
      expect(footer.rowGroups).toHaveLength(groups.length)
      stored.push({
        key,
        rows,
        bytes: content.length,
        statistics: fileStatistics(footer, empty.fields),
      })
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
  return withFiles(empty, stored)
}

const rowsOf = (groups: Cell[][]): Cell[] => {
  const size = groups.length === 1 ? undefined : GROUP_ROWS
  return groups.flatMap(group =>
    Array.from({ length: size ?? group.length }, (_, row) => group[row % group.length] ?? null),
  )
}

describe('files of another engine with nulls', () => {
  it('give a preview, an export and a delete the rows that match, of all files and row groups', async () => {
    const file = fc.oneof(
      cells.map(group => [group]),
      fc.array(cells, { minLength: 2, maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 4 }),
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        async (files, conditions) => {
          const snapshot = await writeFiles(files)
          for (const condition of conditions) {
            const where = [condition, { column: 'n', operator: 'ge' as const, values: ['0'] }]
            const all = files.flatMap(rowsOf)
            const expected = all.filter(cell => matches(cell, condition)).map(cell => [cell ?? ''])
            const { rows } = await tables.engine.preview(snapshot, {
              limit: 100_000, // more than all row groups hold
              columns: ['text'],
              where,
            })
            expect(rows).toEqual(expected)
            const { rowsCount } = await tables.engine.export({
              snapshot,
              fileType: 'csv',
              gzip: false,
              target: { bucket: 'data', key: `nulls-${written}` },
              where,
            })
            expect(rowsCount).toBe(expected.length)
            const left = await tables.engine.deleteRows({
              snapshot,
              keyPrefix: `tables/1/left-${written}/`,
              where,
            })
            expect(left.snapshot.rowsCount).toBe(all.length - expected.length)
          }
        },
      ),
      { numRuns: 6 },
    )
  })

  it('are exported in the order of the table, whichever of them hold some', async () => {
    const snapshot = await writeFiles([[['a']], [[null]], [['b']]])
    const target = { bucket: 'data', key: 'in-order' }
    const contentOf = async (limit: number): Promise<string> => {
      const form = { fileType: 'csv', gzip: false, target } as const
      const { slices } = await tables.engine.export({ snapshot, columns: ['text'], limit, ...form })
      return (
        await Promise.all(slices.map(({ key }) => readFile(path.join(tables.folder, 'data', key))))
      ).join('')
    }
    expect(await contentOf(3)).toBe('"a"\n""\n"b"\n')
    expect(await contentOf(2)).toBe('"a"\n""\n')
  })
})
