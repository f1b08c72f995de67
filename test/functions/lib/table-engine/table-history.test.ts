import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  columnNames,
  emptySnapshot,
  liveRows,
  type Snapshot,
  withColumns,
  withoutColumn,
} from '#lib/table-engine/files/snapshot.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

// So small that a few loads lead to several files, deletes, rewritten files and compaction of both classes.
const tables = await untilEnd(
  createTableFixture({ chunkBytes: 500, smallFileBytes: 1_300, maxSmallFiles: 2 }),
)

/** A row as cells by column, and the day of the load that last changed it. */
interface ModelRow {
  cells: Record<string, string>
  day: string
}

interface Model {
  columns: string[]
  isKeyed: boolean
  rows: ModelRow[]
}

const cellsOf = (row: ModelRow, columns: string[]): string[] => columns.map(column => row.cells[column] ?? '')

const withLoad = (model: Model, records: Record<string, string>[], day: string): Model => {
  if (!model.isKeyed) return { ...model, rows: [...model.rows, ...records.map(cells => ({ cells, day }))] }
  const last = new Map(records.map(cells => [cells['id'], cells]))
  const rows = model.rows.map((row): ModelRow => {
    const cells = last.get(row.cells['id'] ?? '')
    if (!cells) return row
    last.delete(row.cells['id'])
    const isSame = model.columns.every(column => (cells[column] ?? '') === (row.cells[column] ?? ''))
    return isSame ? row : { cells, day }
  })
  return { ...model, rows: [...rows, ...[...last.values()].map(cells => ({ cells, day }))] }
}

const expected = ({ columns, rows }: Model): string[] =>
  rows.map(row => [...cellsOf(row, columns), row.day].join('|')).toSorted()

let calls = 0

/** What the table exports, times included. */
const actual = async (snapshot: Snapshot): Promise<string[]> => {
  const target = { bucket: 'data', key: `history-${++calls}` }
  const { slices } = await tables.engine.export({
    snapshot,
    fileType: 'csv',
    gzip: false,
    timestampZone: 'UTC',
    target,
  })
  const texts = await Promise.all(
    slices.map(({ key }) => readFile(path.join(tables.folder, 'data', key), 'utf8')),
  )
  return texts
    .flatMap(text => text.split('\n').filter(Boolean))
    .map(line =>
      line
        .slice(1, -1)
        .replace(/ 00:00:00$/, '')
        .split('","')
        .join('|'),
    )
    .toSorted()
}

const value = fc.constantFrom('', 'a', 'b', '\u{1f600}')
const record = fc.record({
  id: fc.oneof(fc.integer({ min: 0, max: 40 }).map(String), fc.constant('')),
  x: value,
  y: value,
  z: value,
})
const records = fc.array(record, { minLength: 1, maxLength: 25 })
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('load' as const), records }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), records }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      column: fc.constantFrom('id', 'x'),
      operator: fc.constantFrom('eq' as const, 'gt' as const, 'ne' as const),
      value: fc.oneof(value, fc.integer({ min: 0, max: 40 }).map(String)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('add' as const), column: fc.constantFrom('y', 'z') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drop' as const), column: fc.constantFrom('y', 'z') }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const toCsv = (columns: string[], rows: Record<string, string>[]): string =>
  [columns, ...rows.map(cells => columns.map(column => cells[column] ?? ''))]
    .map(cells => `${cells.map(cell => `"${cell}"`).join(',')}\n`)
    .join('')

/** DuckDB and Iceberg order texts by code points. */
const isGreater = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0

const take = async (model: Model, snapshot: Snapshot, next: Step): Promise<[Model, Snapshot]> => {
  const call = ++calls
  const { columns } = model
  if (next.kind === 'add') {
    if (columns.includes(next.column)) return [model, snapshot]
    const rows = model.rows.map(row => ({ ...row, cells: { ...row.cells, [next.column]: '' } }))
    return [{ ...model, rows, columns: [...columns, next.column] }, withColumns(snapshot, [next.column])]
  }
  if (next.kind === 'drop') {
    const rest = columns.filter(column => column !== next.column)
    return [{ ...model, columns: rest }, withoutColumn(snapshot, next.column)]
  }
  if (next.kind === 'delete') {
    const { column, operator, value: wanted } = next
    const matches = (row: ModelRow): boolean => {
      const cell = row.cells[column] ?? ''
      if (operator === 'gt') return isGreater(cell, wanted)
      return (cell === wanted) === (operator === 'eq')
    }
    const { snapshot: left } = await tables.engine.deleteRows({
      snapshot,
      keyPrefix: `tables/1/history-${call}/`,
      where: [{ column, operator, values: [wanted] }],
    })
    return [{ ...model, rows: model.rows.filter(row => !matches(row)) }, left]
  }
  const day = new Date(Date.UTC(2024, 0, call)).toISOString().slice(0, 10)
  const loaded = await tables.load(toCsv(columns, next.records), {
    current: snapshot,
    incremental: next.kind === 'load',
    loadedAt: new Date(day),
    keyPrefix: `tables/1/history-${call}/`,
  })
  const before = next.kind === 'load' ? model : { ...model, rows: [] }
  return [withLoad(before, next.records, day), loaded.snapshot]
}

const check = async (model: Model, snapshot: Snapshot): Promise<void> => {
  expect(columnNames(snapshot)).toEqual(model.columns)
  expect(await actual(snapshot)).toEqual(expected(model))
  expect(snapshot.rowsCount).toBe(model.rows.length)
  for (const file of snapshot.files) {
    expect(liveRows(file)).toBeGreaterThan(0)
    // What has lost a tenth of its rows was rewritten.
    expect(file.deletes?.rows ?? 0).toBeLessThan(Math.max(1, file.rows / 10))
  }
}

describe('a table after any changes', () => {
  it.each([true, false])('is what the model says (with a primary key: %s)', async isKeyed => {
    const primaryKey = isKeyed ? ['id'] : []
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        const columns = ['id', 'x', 'y']
        let model: Model = {
          columns,
          isKeyed,
          rows: [],
        }
        let snapshot = emptySnapshot(columns, primaryKey)
        for (const next of steps) [model, snapshot] = await take(model, snapshot, next)
        await check(model, snapshot)
      }),
      { numRuns: runs(12) },
    )
  })
})
