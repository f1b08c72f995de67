import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAdaptorServer } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiServer, startApi } from '../functions/lib/extractor/api-server.ts'
import { runMillrace, spawnMillrace } from '../support/millrace.ts'
import { type StorageService, startStorageService } from '../support/storage-service.ts'

/* Commands that only ask the API, on a service behind HTTP. */
let service: StorageService
let server: Server
let shop: ApiServer

beforeAll(async () => {
  shop = await startApi(({ headers }) => [{ id: 1, key: headers['x-key'] === 'secret' ? 'right' : 'wrong' }])
  service = await startStorageService({ allowedHosts: ['127.0.0.1'] })
  server = createAdaptorServer({ fetch: service.app.fetch }) as Server // Without options it makes a plain HTTP server.
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  await service.createBucket('main')
  await service.createTable('in.c-main', 'orders', 'id,city\n1,Brno\n')
})
afterAll(async () => {
  await new Promise(resolve => server.close(resolve))
  await service.close()
  await shop.close()
})

const millrace = async (...args: string[]) => {
  const { port } = server.address() as AddressInfo // It listens on a port.
  const environment = { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_TOKEN: service.token }
  const { stdout, stderr, code } = await runMillrace(args, { environment })
  return {
    code,
    stderr,
    text: stdout,
    json: args.includes('--json') ? JSON.parse(stdout || 'null') : undefined,
  }
}

it('a configuration is tried with its secrets, which only the service opens', async () => {
  const configuration = {
    parameters: {
      api: { baseUrl: shop.origin, http: { headers: { 'X-Key': { attr: '#key' } } } },
      config: { '#key': 'secret', jobs: [{ endpoint: 'orders' }] },
    },
    schedule: 'rate(1 hour)',
  }
  await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
    configurationId: 'shop',
    name: 'Shop',
    configuration,
  })
  const { code, text } = await millrace('config', 'preview', 'ex-generic-v2/shop', '--requests')
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/GET .*\/orders {2}200[\s\S]*"key":"right"[\s\S]*\(1 row\)[\s\S]*1 +right/),
  ])
  const kept = join(tmpdir(), `shop-${process.pid}.json`)
  const digits = (account: string) =>
    `{"10":1,"2":2,"parameters":{"api":{"baseUrl":"http://localhost"},"config":{"account":${account},"jobs":[{"endpoint":"a"}]}}}`
  writeFileSync(kept, digits('7615917337495251231'))
  expect((await millrace('config', 'put', 'ex-generic-v2/digits', kept)).code).toBe(0)
  expect((await millrace('config', 'get', 'ex-generic-v2/digits')).text).toMatch(/^\{\s*"10": ?1,\s*"2": ?2,/)
  rmSync(kept)
  expect((await millrace('config', 'schedule', 'ex-generic-v2/shop', '--json')).json).toMatchObject([
    { schedule: { cronTab: 'rate(1 hour)' }, nextTimes: expect.arrayContaining([expect.any(String)]) },
  ])
  const state = (...flags: string[]) => millrace('config', 'state', 'ex-generic-v2/shop', '--json', ...flags)
  const file = join(tmpdir(), `state-${process.pid}.json`)
  writeFileSync(file, '{"seen":"2026-01-01"}')
  expect((await state()).json).toEqual({})
  expect((await state('--set', file)).json).toEqual({ seen: '2026-01-01' })
  expect((await state('--set', file)).stderr).toContain('ex-generic-v2/shop is replaced')
  expect((await state('--set', file, '--yes')).code).toBe(0)
  rmSync(file)
  const asked = await state('--reset')
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/is forgotten, .* cannot be undone/)])
  expect((await state()).json).toEqual({ seen: '2026-01-01' })
  expect((await state('--reset', '--yes')).json).toEqual({})
  expect((await state('--reset')).json).toEqual({})
  expect((await millrace('config', 'disable', 'ex-generic-v2/shop')).text).toContain('disabled')
  expect((await millrace('config', 'schedule', 'ex-generic-v2/shop')).text).toContain('disabled')
  expect((await millrace('config', 'rollback', 'ex-generic-v2/shop', '1')).text).toContain('version 3')
})

it('a snapshot is kept, and becomes a table again', async () => {
  const made = await millrace('tables', 'snapshot', 'in.c-main.orders', '--description', 'before')
  expect(made).toMatchObject({ code: 0 })
  const { json } = await millrace('tables', 'snapshots', 'in.c-main.orders', '--json')
  expect(json).toMatchObject([{ description: 'before', rowsCount: 1 }])
  expect(await millrace('tables', 'restore', json[0].id, 'in.c-main.again')).toMatchObject({ code: 0 })
  expect((await service.call('GET', '/v2/storage/tables/in.c-main.again')).body.rowsCount).toBe(1)
  await millrace('tables', 'truncate', 'in.c-main.orders', '--yes')
  const refused = await millrace('tables', 'restore', json[0].id, '--in-place')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/replaced by 1 row of the snapshot\. .* brought back/),
  ])
  expect((await millrace('tables', 'restore', json[0].id, '--in-place', '--yes')).code).toBe(0)
  expect((await service.call('GET', '/v2/storage/tables/in.c-main.orders')).body.rowsCount).toBe(1)
  for (const place of [[], ['in.c-main.other', '--in-place']])
    expect((await millrace('tables', 'restore', json[0].id, ...place)).stderr).toContain('--in-place')
  const wrong = await millrace('tables', 'restore', json[0].id, 'again')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no id of a table')])
})

it('buckets are made, listed and deleted, with their tables only by force', async () => {
  expect((await millrace('buckets', 'create', 'side', '--stage', 'out')).text).toBe('out.c-side: made\n')
  await service.createTable('out.c-side', 'kept', 'id\n1\n')
  expect((await millrace('buckets')).text).toMatch(/out\.c-side +side +1 /)
  const refused = await millrace('buckets', 'delete', 'out.c-side', '--yes')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('has 1 table: --force')])
  const asked = await millrace('buckets', 'delete', 'out.c-side', '--force')
  expect([asked.code, asked.stderr]).toEqual([
    1,
    expect.stringContaining('with 1 table. This cannot be undone'),
  ])
  expect((await millrace('buckets', 'delete', 'out.c-side', '--yes', '--force')).code).toBe(0)
  expect((await millrace('buckets')).text).not.toContain('out.c-side')
})

it.each([
  [['jobs', '--status', 'eror'], 'waiting, processing, success, error'],
  [['runs', '--status', 'eror'], 'processing, success, error'],
  [['letters', '--machine', 'imports'], 'import, export, extract, jobs'],
])('%j names the words that there are', async (args, words) => {
  const { code, stderr } = await millrace(...args)
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
})

it('files are listed, shown and deleted; everything is found by its name', async () => {
  const id = await service.upload('x', { name: 'notes.txt' })
  expect((await millrace('files', '--query', 'notes')).text).toContain(String(id))
  expect((await millrace('files', 'show', String(id))).text).toContain('notes.txt')
  expect((await millrace('files', 'delete', String(id))).code).toBe(0)
  expect((await millrace('files', 'show', String(id))).code).toBe(1)
  expect((await millrace('search', 'orders')).text).toContain('in.c-main.orders')
})

it('a query is saved as a table, and again in place of its rows', async () => {
  const sql = 'SELECT city, count(*) AS n FROM in.c-main.orders GROUP BY city'
  for (let time = 0; time < 2; time++)
    expect((await millrace('query', sql, '--save-as', 'in.c-main.by-city')).text).toMatch(
      /^job \d+: done, in\.c-main\.by-city has 1 row$/m,
    )
  expect((await millrace('query', 'SELECT * FROM in.c-main.by-city', '--format', 'csv')).text).toBe(
    '"city","n"\n"Brno","1"\n',
  )
  expect((await millrace('files', '--query', 'tags:query', '--json')).json).toEqual([])
  expect((await millrace('query', sql, '--save-as', 'out.c-new.by-city')).text).toContain('done')
  expect((await service.call('GET', '/v2/storage/buckets/out.c-new')).status).toBe(200)
  const wrong = await millrace('query', sql, '--save-as', 'by-city')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Name the table')])
})

it('a query may be a chain of WITH, each on the one before', async () => {
  const sql = `WITH cities AS (SELECT city FROM in.c-main.orders), named AS (SELECT upper(city) AS name FROM cities)
    SELECT name, length(name) AS letters FROM named`
  const { code, text } = await millrace('query', sql, '--format', 'csv')
  expect([code, text]).toEqual([0, '"name","letters"\n"BRNO","4"\n'])
})

it('a reader that has seen enough ends a query over a large table, and is told nothing', async () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => `${id},${'x'.repeat(40)}`).join('\n')
  await service.createTable('in.c-main', 'large', `id,filler\n${rows}\n`)
  const { port } = server.address() as AddressInfo // It listens on a port.
  const child = spawnMillrace(['query', 'SELECT * FROM in.c-main.large', '--format', 'csv'], {
    environment: { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_TOKEN: service.token },
  })
  let read = 0
  const [first] = await once(child.stdout, 'data')
  read += first.length
  child.stdout.destroy()
  const remarks = text(child.stderr)
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(first.toString()).toMatch(/^"id","filler"\n/)
  expect(read).toBeLessThan(8_000_000)
  expect(await remarks).toBe('')
})

it.each([
  [['tables', 'truncate', 'in.c-main.orders', '--yes'], '--bucket in.c-main=write'],
  [['config', 'run', 'ex-generic-v2/shop'], '--component ex-generic-v2'],
  [['buckets', 'create', 'in.c-own'], '--manage-buckets'],
])('%j names the right that the token lacks, and the command that gives it', async (args, option) => {
  const rights = { description: 'Reader', bucketPermissions: { 'in.c-main': 'read' } }
  const { body } = await service.call('POST', '/v2/storage/tokens', rights)
  const { code, stderr } = await millrace(...args, '--token', body.token)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/The token lacks .*millrace tokens create/)])
  expect(stderr).toContain(option)
})

it('a job that failed to make a table is listed with the name that it would have had', async () => {
  const dataFileId = await service.upload('id,city\n1\n', { name: 'towns.csv' })
  await service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', { name: 'towns', dataFileId })
  await service.jobsEnded()
  expect((await millrace('jobs', '--status', 'error')).text).toMatch(/tableCreate +towns +error/)
  const [{ id }] = (await millrace('jobs', '--status', 'error', '--json')).json
  expect(await millrace('wait', String(id))).toMatchObject({ code: 1, stderr: '' }) // It left no dead letter
})
