import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'
import { createTableViews, inOrder, type Row } from '#support/table-views.ts'

const { service, bucketId, newName, load } = await startTableRoutes()

const { icebirdView, icebergView, exportView } = createTableViews(service)

const submit = async (method: string, path: string, body?: unknown) => {
  const { body: job } = await service.call(method, `/v2/storage${path}`, body)
  expect(job).toMatchObject({ status: 'success' })
  return job
}

/** A value as it is loaded, and as it is shown. Empty: NULL. */
interface Cell {
  loaded: string
  shown: string
}

const empty: Cell = { loaded: '', shown: '' }
const oneOf = (...cells: [string, string][]): fc.Arbitrary<Cell> =>
  fc.constantFrom(...cells.map(([loaded, shown]) => ({ loaded, shown })), empty)

const idOf = (key: number): fc.Arbitrary<Cell> =>
  fc.constantFrom(`${key}`, `0${key}`, `+${key}`, `${key}.0`).map(loaded => ({ loaded, shown: String(key) }))

/** Values of each column. Those of one column that are shown alike are equal. */
const cells: Record<string, fc.Arbitrary<Cell>> = {
  price: oneOf(['1', '1.00'], ['1.0', '1.00'], ['-0.5', '-0.50'], ['007.25', '7.25']),
  ok: oneOf(['1', 'true'], ['TRUE', 'true'], ['no', 'false']),
  day: oneOf(['2026-01-31', '2026-01-31'], ['1969-12-31', '1969-12-31']),
  at: oneOf(
    ['2026-01-31 10:00:00', '2026-01-31 10:00:00.000'],
    ['2026-01-31T10:00:00.250Z', '2026-01-31 10:00:00.250'],
  ),
  seen: oneOf(
    ['2026-01-31 10:00:00', '2026-01-31 10:00:00.000 +0000'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31 10:00:00.000 +0000'],
    ['1969-12-31 23:59:59.5', '1969-12-31 23:59:59.500 +0000'],
  ),
  rate: oneOf(['0.5', '0.5'], ['5e-1', '0.5'], ['1e100', '1e+100'], ['-3', '-3']),
  note: oneOf(['a', 'a'], ['b "c"', 'b "c"']),
  extra: oneOf(['1.5', '1.500'], ['2', '2.000']),
}

const columnsAtFirst = [
  { name: 'id', basetype: 'INTEGER' },
  { name: 'price', definition: { type: 'NUMBER', length: '8,2' } },
  { name: 'ok', basetype: 'BOOLEAN' },
  { name: 'day', basetype: 'DATE' },
  { name: 'at', basetype: 'TIMESTAMP' },
  { name: 'seen', definition: { type: 'TIMESTAMP_TZ' } },
  { name: 'rate', basetype: 'FLOAT' },
  { name: 'note', basetype: 'STRING' },
]

type Record_ = Record<string, Cell>
const record: fc.Arbitrary<Record_> = fc.nat(6).chain(key => fc.record({ ...cells, id: idOf(key) }))

const quoted = (value: string): string => (value === '' ? '' : `"${value.replaceAll('"', '""')}"`)

/** A typed table that is changed through the routes, and beside it what it must hold. */
const startTable = async (isKeyed: boolean) => {
  const name = newName()
  const tableId = `${bucketId}.${name}`
  await submit('POST', `/buckets/${bucketId}/tables-definition`, {
    name,
    columns: columnsAtFirst,
    primaryKeysNames: isKeyed ? ['id'] : [],
  })
  let columns = columnsAtFirst.map(column => column.name)
  let rows: Row[] = []
  let digits = 8

  const shown = (of: Record_): Row =>
    Object.fromEntries(columns.map(column => [column, of[column]?.shown ?? ''])) as Row

  const steps = {
    async load(records: Record_[], incremental: boolean) {
      const lines = records.map(of => columns.map(column => quoted(of[column]?.loaded ?? '')).join(','))
      const dataFileId = await service.upload(`${[columns.join(','), ...lines].join('\n')}\n`)
      const { body: job } = await load(tableId, { dataFileId, incremental: incremental ? 1 : 0 })
      expect(job).toMatchObject({ status: 'success' })
      const all = [...(incremental ? rows : []), ...records.map(shown)]
      rows = isKeyed ? [...new Map(all.map(row => [row['id'], row])).values()] : all
    },
    async deleteRows(column: string, of: Record_) {
      if (!columns.includes(column)) return
      const { loaded = '', shown: value = '' } = of[column] ?? empty
      const query = new URLSearchParams({ whereColumn: column, 'whereValues[]': loaded })
      await submit('DELETE', `/tables/${tableId}/rows?${query}`)
      rows = rows.filter(row => row[column] !== value)
    },
    async addColumn() {
      if (columns.includes('extra')) return
      await submit('POST', `/tables/${tableId}/columns`, {
        name: 'extra',
        definition: { type: 'NUMBER', length: '9,3' },
      })
      columns = [...columns, 'extra']
      rows = rows.map(row => ({ ...row, extra: '' }))
    },
    async dropColumn() {
      if (!columns.includes('extra')) return
      await submit('DELETE', `/tables/${tableId}/columns/extra`)
      columns = columns.filter(column => column !== 'extra')
      rows = rows.map(({ extra: _, ...row }) => row)
    },
    async widen() {
      digits += 3
      await submit('PUT', `/tables/${tableId}/columns/price/definition`, { length: `${digits},2` })
    },
    async restore() {
      const { results } = await submit('POST', `/tables/${tableId}/snapshots`, {})
      const copy = newName()
      await submit('POST', `/buckets/${bucketId}/tables-async`, { name: copy, snapshotId: results.id })
      expect(await icebergView(`${bucketId}.${copy}`)).toEqual(inOrder(rows))
    },
  }
  return { tableId, steps, expected: () => inOrder(rows) }
}

type Steps = Awaited<ReturnType<typeof startTable>>['steps']
type Step = (steps: Steps) => Promise<void>

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.array(record, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 5 })).map(
      ([records, kind]): Step =>
        steps =>
          steps.load(records, kind > 0),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('id', ...Object.keys(cells)), record).map(
      ([column, of]): Step =>
        steps =>
          steps.deleteRows(column, of),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>(steps => steps.addColumn()) },
  { weight: 1, arbitrary: fc.constant<Step>(steps => steps.dropColumn()) },
  { weight: 1, arbitrary: fc.constant<Step>(steps => steps.widen()) },
  { weight: 1, arbitrary: fc.constant<Step>(steps => steps.restore()) },
)

it('after any sequence of requests icebird, our reader, the export and the model agree on typed rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 3, maxLength: 8 }),
      async (isKeyed, sequence) => {
        const { tableId, steps, expected } = await startTable(isKeyed)
        for (const take of sequence) await take(steps)
        expect(await exportView(tableId)).toEqual(expected())
        expect(await icebergView(tableId)).toEqual(expected())
        expect(await icebirdView(tableId)).toEqual(expected())
      },
    ),
    { numRuns: 5 },
  )
})

it('the schema and the bounds of files are those of the types', async () => {
  const { tableId, steps } = await startTable(true)
  const all = (id: string, price: string, ok: string): Record_ => ({
    id: { loaded: id, shown: id },
    price: { loaded: price, shown: price },
    ok: { loaded: ok, shown: ok },
  })
  await steps.load([all('9', '10.25', 'true'), all('10', '9.50', 'false'), all('-1', '', '')], true)
  const table = await service.stores.tables.get(tableId)
  expect(table?.snapshot.fields.map(({ type }) => type)).toEqual([
    'long',
    'decimal(8,2)',
    'boolean',
    'date',
    'timestamp',
    'timestamptz',
    'double',
    'string',
  ])
  const [file] = table?.snapshot.files ?? []
  const facts = (id: number) => {
    const { lower, upper, nulls } = file?.statistics?.[id] ?? {}
    return [lower, upper, nulls]
  }
  expect(facts(2)).toEqual(['-1', '10', 0])
  expect(facts(3)).toEqual(['9.50', '10.25', 1])
  expect(facts(4)).toEqual(['false', 'true', 1])
  expect(facts(9)).toEqual([undefined, undefined, 3])
})

it('the content at a time has the types of then', async () => {
  const { tableId, steps } = await startTable(false)
  await steps.load([{ id: { loaded: '1', shown: '1' }, price: { loaded: '2.5', shown: '2.50' } }], true)
  const first = await service.stores.tables.get(tableId)
  await steps.widen()
  await steps.addColumn()
  await steps.load([{ id: { loaded: '2', shown: '2' } }], true)
  const now = await service.stores.tables.get(tableId)
  if (!first || !now) throw new Error('the table is gone')
  const at = (time: string | null) => service.stores.tables.contentAt(now, new Date(time ?? 0))
  const then = (await at(first.lastChangeDate))?.snapshot
  expect(then?.fields).toEqual(first.snapshot.fields)
  expect(then?.rowsCount).toBe(1)
  expect((await at(now.lastChangeDate))?.snapshot.fields).toEqual(now.snapshot.fields)
})
