import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { createAdaptorServer } from '@hono/node-server'
import { beforeAll, describe, expect, it } from 'vitest'
import { runMillrace } from '#support/millrace.ts'
import { withStorage } from '#support/storage-service.ts'
import { createTableViews, inOrder, type Row } from '#support/table-views.ts'
import sample from '../samples/version-01/tables.json' with { type: 'json' }

const KEYED = 'in.c-main.keyed'
const PLAIN = 'in.c-main.plain'

const service = await withStorage()
beforeAll(async () => {
  await putSample('main')
  for (const [Key, content] of Object.entries(sample.objects))
    await service.s3.send(
      new PutObjectCommand({ Bucket: service.tablesBucket, Key, Body: Buffer.from(content, 'base64') }),
    )
})

/** The items of the sample, with its bucket under a name. Its kept snapshot belongs to `main`. */
const putSample = async (bucket: string): Promise<void> => {
  const items = service.items
  const renamed = JSON.parse(JSON.stringify(sample.items).replaceAll('in.c-main', `in.c-${bucket}`))
  for (const { pk, sk, ...attributes } of renamed)
    if (bucket === 'main' || pk.startsWith('BUCKET')) await items.put({ pk, sk }, attributes)
}

const metadataKey = async (tableId: string) => (await service.stores.tables.getHead(tableId))?.metadataKey

const submit = async (method: string, path: string, body: unknown) => {
  const { body: job } = await service.call(method, `/v2/storage${path}`, body)
  expect(job).toMatchObject({ status: 'success' })
  return job
}

const load = async (tableId: string, csv: string) =>
  submit('POST', `/tables/${tableId}/import-async`, { dataFileId: await service.upload(csv), incremental: 1 })

const keyedRows: Row[] = [
  { id: '1', city: 'Praha' },
  { id: '2', city: 'Ostrava' },
  { id: '3', city: '' },
  { id: '4', city: 'Plzeň' },
]
const plainRows: Row[] = ['1', '0', '1', '2'].map((name, index) => ({
  a: index === 0 ? 'x' : 'y',
  filename: `${name}.csv`,
}))

describe('a table of version 0.1', () => {
  it('is listed and exported as it is, without metadata', async () => {
    const { exportView } = createTableViews(service)
    expect(await exportView(KEYED)).toEqual(inOrder(keyedRows))
    expect(await exportView(PLAIN)).toEqual(inOrder(plainRows))
    const { body: list } = await service.call('GET', '/v2/storage/buckets/in.c-main/tables')
    expect(list.map((table: { id: string; rowsCount: number }) => [table.id, table.rowsCount])).toEqual([
      [KEYED, 4],
      [PLAIN, 4],
    ])
    expect([await metadataKey(KEYED), await metadataKey(PLAIN)]).toEqual([undefined, undefined])
  })

  it('is an Iceberg table after a keyed load, which leaves its files where they are', async () => {
    const { exportView, icebirdView, icebergView } = createTableViews(service)
    await load(KEYED, 'id,city\n3,Olomouc\n5,Zlín\n')
    const rows = inOrder([
      ...keyedRows.filter(({ id }) => id !== '3'),
      { id: '3', city: 'Olomouc' },
      { id: '5', city: 'Zlín' },
    ])
    expect(await exportView(KEYED)).toEqual(rows)
    expect(await icebergView(KEYED)).toEqual(rows)
    expect(await icebirdView(KEYED)).toEqual(rows)
    const { snapshot } = (await service.stores.tables.get(KEYED)) ?? {}
    const old = snapshot?.files.filter(({ hasFieldIds }) => !hasFieldIds).map(({ key }) => key) ?? []
    expect(Object.keys(sample.objects)).toEqual(expect.arrayContaining(old))
  })

  it('keeps its values apart from those of a new column with an old name', async () => {
    const { exportView, icebergView } = createTableViews(service)
    await load(PLAIN, 'a,filename\nz,9.csv\n')
    expect(await icebergView(PLAIN)).toEqual(inOrder([...plainRows, { a: 'z', filename: '9.csv' }]))
    await submit('DELETE', `/tables/${PLAIN}/columns/a`, undefined)
    await submit('POST', `/tables/${PLAIN}/columns`, { name: 'a' })
    const rows = inOrder([...plainRows, { filename: '9.csv' }].map(row => ({ ...row, a: '' })))
    expect(await exportView(PLAIN)).toEqual(rows)
    expect(await icebergView(PLAIN)).toEqual(rows)
  })

  it('is migrated by the command, which leaves the others alone', async () => {
    const api = createAdaptorServer({ fetch: service.app.fetch }) as Server // Without options: a plain HTTP server.
    await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = api.address() as AddressInfo // It listens on a port.
      const environment = { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_TOKEN: service.token }
      await putSample('again')
      const first = await runMillrace(['migrate', 'tables'], { environment })
      expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('in.c-again.keyed: migrated\n')])
      const second = await runMillrace(['migrate', 'tables'], { environment })
      expect([second.code, second.stderr]).toEqual([
        0,
        expect.stringMatching(/^0 of \d+ tables migrated, 0 failed/),
      ])
    } finally {
      await new Promise(resolve => api.close(resolve))
    }
    const { exportView, icebirdView } = createTableViews(service)
    expect(await exportView('in.c-again.keyed')).toEqual(inOrder(keyedRows))
    expect(await icebirdView('in.c-again.keyed')).toEqual(inOrder(keyedRows))
  })
})
