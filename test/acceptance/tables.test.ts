import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('tables')

let tables = 0
const create = (body: Record<string, unknown>) =>
  target.job('POST', `buckets/${bucketId}/tables-async`, { name: `t${++tables}`, ...body })
const createFrom = async (
  content: string | string[],
  settings: Record<string, unknown> = {},
): Promise<string> => {
  const job = await create({ dataFileId: await target.upload(content), ...settings })
  expect(job).toMatchObject({ status: 'success', operationName: 'tableCreate', tableId: null })
  return job.results.id
}
const load = async (tableId: string, content: string | string[], settings: Record<string, unknown> = {}) =>
  target.job('POST', `tables/${tableId}/import-async`, {
    dataFileId: await target.upload(content),
    ...settings,
  })
const detail = async (tableId: string) => (await target.call('GET', `tables/${tableId}`)).body
const rowsOf = async (tableId: string): Promise<string[]> =>
  (await target.call('GET', `tables/${tableId}/data-preview`)).text.trimEnd().split('\n').slice(1).toSorted()

describe('a table', () => {
  it('is created from a file and shown', async () => {
    const id = await createFrom('id,"Größe (cm)"\n1,x\n2,"y, ""z""\nw"\n', { primaryKey: 'id' })
    const table = await detail(id)
    expect(table).toMatchObject({
      id,
      primaryKey: ['id'],
      columns: ['id', 'Grosse_cm'],
      rowsCount: 2,
      isAlias: false,
      isTyped: false,
      bucket: { id: bucketId },
    })
    expect(table.dataSizeBytes).toBeGreaterThan(0)
    const { body: all } = await target.call('GET', 'tables?include=columns,buckets')
    expect(all.find((one: { id: string }) => one.id === id)).toMatchObject({ columns: table.columns })
    const json = await target.call('GET', `tables/${id}/data-preview?format=json&limit=1`)
    expect(json.body).toEqual({
      columns: ['id', 'Grosse_cm'],
      rows: [
        [
          { columnName: 'id', value: '1', isTruncated: false },
          { columnName: 'Grosse_cm', value: 'x', isTruncated: false },
        ],
      ],
    })
  })

  it('is replaced, appended to, and updated by its key', async () => {
    const id = await createFrom('id,n\n1,a\n2,b\n', { primaryKey: 'id' })
    const job = await load(id, 'n,id\nc,2\nd,3\n', { incremental: 1 })
    expect(job).toMatchObject({
      operationName: 'tableImport',
      tableId: id,
      results: { importedColumns: ['n', 'id'], importedRowsCount: 2, totalRowsCount: 3, warnings: [] },
    })
    expect(await rowsOf(id)).toEqual(['"1","a"', '"2","c"', '"3","d"'])
    await load(id, 'id;n;new\n9;z;1\n', { delimiter: ';' })
    expect((await detail(id)).columns).toEqual(['id', 'n', 'new'])
    expect(await rowsOf(id)).toEqual(['"9","z","1"'])
  })
})

describe('an export', () => {
  const line = (n: number): string => `"${n}","name ""${n}"", x","${n % 7}"\n`
  const csv = (from: number, to: number): string => {
    const lines: string[] = []
    for (let n = from; n < to; n++) lines.push(line(n))
    return lines.join('')
  }
  const LOADS = 6
  const ROWS_IN_LOAD = 4_000
  const ROWS = LOADS * ROWS_IN_LOAD
  let tableId: string
  beforeAll(async () => {
    tableId = await createFrom(`"id","name","n"\n${csv(0, ROWS_IN_LOAD)}`)
    for (let index = 1; index < LOADS; index++) {
      const content = csv(index * ROWS_IN_LOAD, (index + 1) * ROWS_IN_LOAD)
      await load(tableId, content, { incremental: 1, withoutHeaders: 1 })
    }
  })

  const exported = async (body: Record<string, unknown>) => {
    const job = await target.job('POST', `tables/${tableId}/export-async`, body)
    expect(job).toMatchObject({ status: 'success', operationName: 'tableExport', tableId })
    return target.downloadSlices(job.results.file.id)
  }

  it('has slices that make the whole table, in order', async () => {
    const plain = await exported({})
    expect(plain.length).toBeGreaterThan(1)
    expect(Buffer.concat(plain).toString()).toBe(csv(0, ROWS))
    // Each slice can be read by itself: it ends with a whole record.
    for (const slice of plain) expect(slice.subarray(-2).toString()).toBe('"\n')
    const compressed = await exported({ gzip: 1 })
    expect(Buffer.concat(compressed.map(slice => gunzipSync(slice))).toString()).toBe(csv(0, ROWS))
    // Concatenated gzip members are one gzip file.
    expect(gunzipSync(Buffer.concat(compressed)).toString()).toBe(csv(0, ROWS))
  })

  it('accepts columns, conditions, an order and a limit', async () => {
    const filters = [
      { column: 'id', operator: 'ge', values: ['9'], dataType: 'INTEGER' },
      { column: 'n', operator: 'eq', values: ['0', '1'] },
    ]
    const slices = await exported({
      columns: ['n', 'id'],
      whereFilters: filters,
      orderBy: [{ column: 'id', order: 'DESC', dataType: 'INTEGER' }],
      limit: 2,
    })
    const last = [...Array(ROWS).keys()].filter(n => n % 7 < 2).slice(-2)
    expect(slices.join('')).toBe(
      last
        .reverse()
        .map(n => `"${n % 7}","${n}"\n`)
        .join(''),
    )
    expect((await exported({ changedSince: '+1 hour' })).map(String)).toEqual([''])
  })

  it('is loaded into another table', async () => {
    const job = await target.job('POST', `tables/${tableId}/export-async`, { gzip: true })
    const copy = await create({ dataFileId: job.results.file.id, columns: ['id', 'name', 'n'] })
    expect(copy.results.rowsCount).toBe(ROWS)
  })
})
