import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptySnapshot, type NewField, type Snapshot, withFields } from '#lib/table-engine/files/snapshot.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

// So small that a few loads lead to several files, deletes, rewritten files and compaction.
const tables = await untilEnd(
  createTableFixture({ chunkBytes: 500, smallFileBytes: 1_300, maxSmallFiles: 2 }),
)

const nullable = { nullable: true }
const fields: NewField[] = [
  { name: 'id', type: 'long', rules: nullable },
  { name: 'price', type: 'decimal(8,2)', rules: nullable },
  { name: 'seen', type: 'timestamptz', rules: nullable },
  { name: 'note', type: 'string', rules: { nullable: true, maxLength: 20 } },
]
const typed = (primaryKey: string[], columns = fields): Snapshot =>
  withFields(emptySnapshot([], primaryKey), columns)

let calls = 0
const load = async (current: Snapshot, csv: string | string[], more: object = {}): Promise<Snapshot> => {
  const loaded = await tables.load(csv, {
    current,
    incremental: true,
    keyPrefix: `tables/1/typed-${++calls}/`,
    loadedAt: new Date(Date.UTC(2024, 0, calls)),
    ...more,
  })
  return loaded.snapshot
}

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('the load was accepted'),
    error => ({ code: error.code, params: error.params, message: error.message }),
  )

/** Rows with the day of the load that last changed them. */
const exported = async (snapshot: Snapshot): Promise<string[]> => {
  const { slices } = await tables.engine.export({
    snapshot,
    fileType: 'csv',
    gzip: false,
    timestampZone: 'UTC',
    target: { bucket: 'data', key: `typed-${++calls}` },
  })
  const texts = await Promise.all(
    slices.map(({ key }) => readFile(path.join(tables.folder, 'data', key), 'utf8')),
  )
  return texts.flatMap(text => text.split('\n').filter(Boolean)).toSorted()
}

interface Cell {
  loaded: string
  shown: string
}
const cell = (...forms: [string, string][]): fc.Arbitrary<Cell> =>
  fc.constantFrom(...[['', ''] as [string, string], ...forms].map(([loaded, shown]) => ({ loaded, shown })))

const row = fc.record({
  id: fc.oneof(
    { weight: 1, arbitrary: fc.constant({ loaded: '', shown: '' }) },
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.integer({ min: -9, max: 60 }), fc.constantFrom('', '.0', '.'))
        .map(([key, suffix]) => ({ loaded: `${key}${suffix}`, shown: String(key) })),
    },
  ),
  price: cell(['1', '1.00'], ['01.0', '1.00'], ['-2.5', '-2.50'], ['100', '100.00']),
  seen: cell(
    ['2024-05-01 10:00Z', '2024-05-01 10:00:00.000 +0000'],
    ['2024-05-01 12:00+02', '2024-05-01 10:00:00.000 +0000'],
  ),
  note: cell(['a', 'a'], ['longer than others', 'longer than others']),
})
type LoadedRow = Record<'id' | 'price' | 'seen' | 'note', Cell>

const toCsv = (rows: LoadedRow[]): string =>
  [
    'id,price,seen,note',
    ...rows.map(({ id, price, seen, note }) => [id, price, seen, note].map(each => each.loaded).join(',')),
    '',
  ].join('\n')

const shown = ({ id, price, seen, note }: LoadedRow): string =>
  [id, price, seen, note].map(each => (each.shown === '' ? '' : `"${each.shown}"`)).join(',')

describe('keyed loads of a typed table', () => {
  it('leave what the model says, and the times of rows whose values are unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 }),
        async loads => {
          let table = typed(['id'])
          const model = new Map<string, { row: string; day: string }>()
          for (const rows of loads) {
            table = await load(table, toCsv(rows))
            const day = new Date(Date.UTC(2024, 0, calls)).toISOString().slice(0, 10)
            const last = new Map(rows.map(each => [each.id.shown, shown(each)]))
            for (const [key, after] of last)
              if (model.get(key)?.row !== after) model.set(key, { row: after, day })
          }
          const expected = [...model.values()].map(each => `${each.row},"${each.day} 00:00:00"`).toSorted()
          expect(await exported(table)).toEqual(expected)
          expect(table.rowsCount).toBe(model.size)
        },
      ),
      { numRuns: runs(15) },
    )
  })

  it('find rows of before a decimal got more digits, and leave unchanged ones', async () => {
    const before = await load(typed(['price']), 'id,price,seen,note\n1,1.50,,a\n2,2.50,,b\n')
    const wider: Snapshot = {
      ...before,
      fields: before.fields.map(field =>
        field.name === 'price' ? { ...field, type: 'decimal(30,2)' } : field,
      ),
    }
    const rows = await exported(wider)
    const after = await load(
      wider,
      'id,price,seen,note\n1,1.5,,a\n3,2.5,,b\n4,1234567890123456789012345678.25,,\n',
    )
    const [unchanged] = rows
    expect((await exported(after))[0]).toBe(unchanged)
    expect(await tables.rows(after)).toHaveLength(3)
    const { rows: found } = await tables.engine.preview(after, {
      limit: 10,
      columns: ['id'],
      where: [{ column: 'price', operator: 'gt', values: ['2.5'] }],
    })
    expect(found).toEqual([['4']])
  })

  it('read no file whose bounds leave the keys out', async () => {
    const large = await createTableFixture()
    try {
      const add = async (current: Snapshot, csv: string) =>
        (await large.load(csv, { current, incremental: true, keyPrefix: `tables/1/${++calls}/` })).snapshot
      const one = await add(typed(['id']), 'id,price,seen,note\n9,1,,a\n10,1,,b\n')
      const two = await add(one, 'id,price,seen,note\n100,1,,a\n200,1,,b\n')
      large.log.length = 0
      // As a text it would lie between 10 and 9.
      await add(two, 'id,price,seen,note\n011,1,,a\n')
      expect(large.log.filter(line => line.startsWith('read'))).toEqual([])
      const where = [{ column: 'id', operator: 'gt' as const, values: ['1000'] }]
      expect(await large.engine.preview(two, { limit: 10, where })).toMatchObject({ rows: [], bytesRead: 0 })
    } finally {
      await large.close()
    }
  })
})

describe('a load that a cell does not fit', () => {
  it('names the slice, and the line within it', async () => {
    const slices = ['1,1,,"two\nlines"\n2,1,,b\n', '3,1,,c\n', '4,1,,"d\n\n"\nfive,1,,e\n']
    const refused = await refusal(
      load(typed([]), slices, { source: { columns: ['id', 'price', 'seen', 'note'] } }),
    )
    expect(refused).toMatchObject({
      code: 'csvImport.invalidValue',
      params: { source: 'slice 3 of 3', line: 4, column: 'id', value: 'five' },
    })
    expect(refused.message).toContain('In slice 3 of 3, line 4, column "id", whose type is NUMBER(38,0)')
  })

  it('names the line with other dialects, and a value of a bounded length', async () => {
    const refused = await refusal(
      load(typed([]), `id|price|seen|note\n1|1||a\\|b\n2|${'9'.repeat(500)}||x\n`, {
        source: { delimiter: '|', enclosure: '', escapedBy: '\\' },
      }),
    )
    expect(refused).toMatchObject({ code: 'rowTooLarge', params: { line: 3, column: 'price' } })
    expect(refused.params.value).toHaveLength(100)
    expect(refused.message.length).toBeLessThan(500)
  })

  it('takes a value that stands for NULL as none', async () => {
    const table = await load(typed([]), 'id,price,seen,note\nnone,1,none,none\n', {
      source: { treatValuesAsNull: ['none'] },
    })
    expect(await tables.rows(table)).toEqual([[null, '1.00', null, null]])
  })
})

describe('a new column', () => {
  it('gets its default in every row, whose time stays', async () => {
    const table = await load(typed(['id']), 'id,price,seen,note\n1,1,,a\n2,,,\n')
    const before = await exported(table)
    const wider = withFields(table, [{ name: 'n', type: 'long', rules: { nullable: false, default: '07' } }])
    const { snapshot } = await tables.engine.fillColumn({
      snapshot: wider,
      column: 'n',
      keyPrefix: `tables/1/fill-${++calls}/`,
      at: new Date(),
    })
    expect(await exported(snapshot)).toEqual(before.map(line => line.replace(/,("[^"]+")$/, ',"7",$1')))
    // A load with the same values changes nothing: the digests are of the new rows.
    const again = await load(snapshot, 'id,price,seen,note,n\n01,1.0,,a,\n2,,,,7\n')
    expect(await exported(again)).toEqual(await exported(snapshot))
  })
})

it('a Parquet export has the types of the table', async () => {
  const table = await load(typed([]), 'id,price,seen,note\n1,2.5,2024-05-01 12:00+02,\n')
  const { slices } = await tables.engine.export({
    snapshot: table,
    fileType: 'parquet',
    gzip: false,
    target: { bucket: 'data', key: `typed-${++calls}` },
  })
  const file = path.join(tables.folder, 'data', slices[0]?.key ?? '')
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    const found = await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${file}'`)
    expect(found.getRows().map(([name, type]) => [name, type])).toEqual([
      ['id', 'BIGINT'],
      ['price', 'DECIMAL(8,2)'],
      ['seen', 'TIMESTAMP WITH TIME ZONE'],
      ['note', 'VARCHAR'],
    ])
    connection.closeSync()
  } finally {
    instance.closeSync()
  }
})
