import { gunzipSync } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { beforeEach, describe, expect, it } from 'vitest'
import { startStorageService } from '#support/storage-service.ts'
import { untilEnd } from '#support/until-end.ts'

const NEVER = Number.MAX_SAFE_INTEGER
const ROWS_OF_LOAD = 40
const ROWS = 190

const service = await untilEnd(startStorageService({}))
const bucketId = await service.createBucket('main')
const plain = await service.createTable(bucketId, 'plain', 'id,group,amount,note\n', { primaryKey: 'id' })
// Parts of two files each, as small as the files are.
beforeEach(() => {
  Object.assign(service.jobServices.distribution, { exportPartBytes: 4_000, singleMergeBytes: 2 * 1024 ** 3 })
})

const createTyped = async (): Promise<string> => {
  const column = (name: string, type: string, length?: string) => ({
    name,
    definition: { type, ...(length && { length }), nullable: name !== 'id' },
  })
  const { body } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, {
    name: 'typed',
    primaryKeysNames: ['id'],
    columns: [
      column('id', 'INTEGER'),
      column('group', 'VARCHAR', '10'),
      column('amount', 'NUMERIC', '12,2'),
      column('note', 'VARCHAR'),
    ],
  })
  expect(body.status).toBe('success')
  return `${bucketId}.typed`
}

/** Some rows are new, some replace those of the load before. */
const addRows = async (tableId: string, first: number): Promise<void> => {
  const rows = Array.from({ length: ROWS_OF_LOAD }, (_, index) => {
    const id = first + ((index * 7) % ROWS_OF_LOAD)
    const amount = id % 11 === 0 ? '' : String(((id * 37) % 101) - 50)
    return `${id},g${id % 4},${amount},"n ""${id % 13}"", é\n😀${first}"`
  })
  const dataFileId = await service.upload(`id,group,amount,note\n${rows.join('\n')}\n`)
  const { body } = await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, {
    dataFileId,
    incremental: 1,
  })
  expect(body.status).toBe('success')
}

const typed = await createTyped()
for (const tableId of [plain, typed]) for (let load = 0; load < 6; load++) await addRows(tableId, load * 30)
const { body } = await service.call('POST', `/v2/storage/buckets/${bucketId}/table-aliases`, {
  sourceTable: plain,
  name: 'alias',
  aliasFilter: { column: 'group', values: ['g1', 'g2'], operator: 'eq' },
})
const alias = body.id
// Every export is done anew.
const { exports } = service.jobServices
service.jobServices.exports = { ...exports, findFileId: async () => undefined }

const send = async (tableId: string, body: Record<string, unknown>, single: number, path = '') => {
  service.jobServices.distribution.singleExportBytes = single
  return (await service.call('POST', `/v2/storage/${path}tables/${tableId}/export-async`, body)).body
}

const readObject = async (url: string): Promise<Buffer> => {
  const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? []
  const { Body } = await service.s3.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const slicesOf = async (fileId: number, path = ''): Promise<Buffer[]> => {
  const { body: file } = await service.call('GET', `/v2/storage/${path}files/${fileId}?federationToken=1`)
  const { entries } = (await (await fetch(file.url)).json()) as { entries: { url: string }[] }
  return Promise.all(entries.map(({ url }) => readObject(url)))
}

const rowsOf = async (slices: Buffer[], { fileType, gzip }: Record<string, unknown>): Promise<unknown> => {
  if (fileType !== 'parquet')
    return Buffer.concat(gzip ? slices.map(slice => gunzipSync(slice)) : slices).toString()
  const rows = await Promise.all(
    slices.map(slice => parquetReadObjects({ file: new Uint8Array(slice).buffer, compressors })),
  )
  return rows.flat()
}

const exported = async (tableId: string, body: Record<string, unknown>, single: number, path = '') => {
  const job = await send(tableId, body, single, path)
  if (job.status !== 'success') return { error: job.error.code, message: job.error.message }
  const slices = await slicesOf(job.results.file.id, path)
  return { rows: await rowsOf(slices, body), slices: slices.length }
}

const isDistributed = (): boolean => service.jobLog.some(line => Number(line['parts']) > 1)

/** The export by one function and that by many are the same, and were done as they should be. */
const expectSame = async (tableId: string, body: Record<string, unknown>): Promise<unknown> => {
  service.jobLog.length = 0
  const single = await exported(tableId, body, NEVER)
  expect(isDistributed()).toBe(false)
  const large = await exported(tableId, body, 100)
  expect(isDistributed()).toBe(!('error' in large))
  expect({ ...large, slices: 0 }).toEqual({ ...single, slices: 0 })
  return large
}

const amount = { column: 'amount', operator: 'gt', values: ['0'] }
type Question = { it: string; body: Record<string, unknown> }

/** Asked of each kind of table; a new one belongs here. */
const questions: Question[] = [
  { it: 'as CSV', body: {} },
  { it: 'as Parquet', body: { fileType: 'parquet' } },
  { it: 'where nothing is', body: { whereFilters: [{ column: 'group', values: ['g1x'] }], gzip: true } },
  { it: 'with a limit and a condition', body: { limit: 50, whereFilters: [{ column: 'group', values: ['g3'] }] } },
  { it: 'since a time', body: { changedSince: '-1 day', limit: 99 } },
] // biome-ignore format: one question, one line

/** Differ from those in what kinds of tables treat alike. */
const questionsOfPlain: Question[] = [
  { it: 'as gzip', body: { gzip: true } },
  { it: 'with columns of the request', body: { columns: ['note', 'id'] } },
  { it: 'with times of changes in a zone', body: { includeInternalTimestamp: true, timezone: 'Europe/Prague' } },
  { it: 'where something is', body: { whereFilters: [{ column: 'group', values: ['g1'] }] } },
  { it: 'with a text anywhere', body: { fulltextSearch: '"7"' } },
  { it: 'with a limit', body: { limit: 100 } },
  { it: 'with a limit at the end of a part', body: { limit: 120 } },
  { it: 'with a limit above all rows', body: { limit: 9_999, whereFilters: [{ column: 'group', values: ['g3'] }] } },
] // biome-ignore format: one question, one line

describe('an export that outgrows one function has the rows and the order of a small one', () => {
  it.each([...questions, ...questionsOfPlain])('$it', async ({ body }) => {
    await expectSame(plain, body)
  })

  it.each(questions)('of a typed table, $it', async ({ body }) => {
    await expectSame(typed, body)
  })

  it.each(['INTEGER', 'DECIMAL'])('where a text is a larger %s', async dataType => {
    await expectSame(plain, { whereFilters: [{ ...amount, dataType }] })
  })

  it.each(questions)('of an alias, $it', async ({ body }) => {
    await expectSame(alias, body)
  })

  it('in as many slices as the parts need', async () => {
    service.jobServices.distribution.exportPartBytes = 2_000
    const large = (await expectSame(plain, {})) as { slices: number }
    expect(large.slices).toBeGreaterThan(2)
  })

  it('with the refusals of a small one', async () => {
    const question = { whereFilters: [{ column: 'amount', operator: 'gt', values: ['many'] }] }
    expect(await expectSame(typed, question)).toMatchObject({ error: 'storage.backend.exception' })
  })

  it('in a branch, whose file is the branch’s', async () => {
    const { body: branch } = await service.call('POST', '/v2/storage/dev-branches', { name: 'exports' })
    const { body: list } = await service.call('GET', '/v2/storage/dev-branches')
    const { id } = list.find(({ isDefault }: { isDefault: boolean }) => !isDefault) ?? branch
    const path = `branch/${id}/`
    await service.call('DELETE', `/v2/storage/${path}tables/${plain}/rows?whereColumn=group&whereValues[]=g0`)
    const question = { limit: 150 }
    service.jobLog.length = 0
    const large = await exported(plain, question, 100, path)
    expect(isDistributed()).toBe(true)
    expect(
      await exported(plain, { ...question, columns: ['id', 'group', 'amount', 'note'] }, NEVER, path),
    ).toMatchObject({ rows: large.rows })
    expect(large.rows).not.toEqual((await exported(plain, question, NEVER)).rows)
  })
})

type Row = Record<string, string>
type Order = { column: string; order?: 'ASC' | 'DESC'; dataType?: string }[]

/** Rows in an order, what is no number last where numbers are compared; equal ones stay as they were. */
const sorted = (rows: Row[], orderBy: Order): Row[] =>
  rows.toSorted((a, b) => {
    for (const { column, order, dataType } of orderBy) {
      const [one, other] = [a, b].map(row => (dataType ? row[column] && Number(row[column]) : row[column]))
      if (one === other) continue
      if (dataType && (one === '' || other === '')) return one === '' ? 1 : -1
      return (one ?? '') < (other ?? '') === (order !== 'DESC') ? -1 : 1
    }
    return 0
  })

describe('an export in an order is done by one function, however large its table is', () => {
  const orders: { it: string; orderBy: Order; body?: Record<string, unknown> }[] = [
    { it: 'by a text', orderBy: [{ column: 'note', order: 'DESC' }] },
    { it: 'by few values', orderBy: [{ column: 'group', order: 'DESC' }] },
    { it: 'by two columns', orderBy: [{ column: 'amount' }, { column: 'note', order: 'DESC' }] },
    { it: 'by numbers', orderBy: [{ column: 'amount', order: 'DESC', dataType: 'INTEGER' }, { column: 'group' }] },
    { it: 'where something is', orderBy: [{ column: 'id' }], body: { whereFilters: [{ column: 'group', values: ['g1', 'g2'] }] } },
    { it: 'where nothing is', orderBy: [{ column: 'id' }], body: { whereFilters: [{ column: 'group', values: ['g1x'] }] } },
  ] // biome-ignore format: one question, one line

  it.each(orders)('$it', async ({ orderBy, body = {} }) => {
    const question = { ...body, fileType: 'parquet' }
    const { rows } = await exported(plain, question, NEVER)
    service.jobLog.length = 0
    const large = await exported(plain, { ...question, orderBy }, 100)
    const first = await exported(plain, { ...question, orderBy, limit: 33 }, 100)
    expect(isDistributed()).toBe(false)
    const expected = sorted(rows as Row[], orderBy) // What Parquet holds of a table of texts.
    expect(large.rows).toEqual(expected)
    expect(first.rows).toEqual(expected.slice(0, 33))
  })

  it('a typed table by its numbers, whatever their text is', async () => {
    const question = { columns: ['id'], orderBy: [{ column: 'id', order: 'DESC' }], limit: 150 }
    const { rows } = await exported(typed, question, 100)
    const ids = String(rows).replaceAll('"', '').trimEnd().split('\n').map(Number)
    expect(ids).toEqual(Array.from({ length: 150 }, (_, index) => ROWS - 1 - index))
  })

  it('and is refused when it does not fit on the disk of that function', async () => {
    const orderBy = [{ column: 'id' }]
    service.jobServices.distribution.singleMergeBytes = 4 * 5_000
    expect(await exported(plain, { orderBy }, NEVER)).toEqual({
      error: 'storage.export.tooLarge',
      message: expect.stringMatching(/up to 5000\. Export it without "orderBy" and sort the file, or filter/),
    })
    const few = { whereFilters: [{ column: 'id', operator: 'eq', values: ['3'] }] }
    expect(await exported(plain, { orderBy, ...few }, NEVER)).toHaveProperty('rows')
    expect(await exported(plain, {}, NEVER)).toHaveProperty('rows')
  })
})

describe('a large export', () => {
  it('is a small one when few files can match, or few are needed', async () => {
    service.jobLog.length = 0
    const few = { whereFilters: [{ column: 'id', operator: 'eq', values: ['3'] }] }
    for (const body of [few, { limit: 10 }, { changedSince: '+1 day' }]) {
      const answer = await exported(plain, body, 5_000)
      expect(answer).not.toHaveProperty('error')
      expect(isDistributed()).toBe(false)
    }
  })
})
