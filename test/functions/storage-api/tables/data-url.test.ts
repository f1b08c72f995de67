import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const LIMIT_BYTES = 4096
const requested: string[] = []

/** A web server with data, and with everything that can go wrong. */
const pages: Record<string, RequestListener> = {
  '/people.csv': (_request, response) => response.end('id,name\n1,a\n2,b\n'),
  '/more.csv': (_request, response) => response.end('id,name\n3,c\n'),
  '/people.csv.gz': (_request, response) => response.end(gzipSync('id,name\n1,a\n')),
  '/moved': (_request, response) => response.writeHead(302, { location: '/people.csv' }).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inward': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.2:9/' }).end(),
  '/busy': (_request, response) => response.writeHead(503).end('later'),
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('id,name\n1,a\n')
    setImmediate(() => response.destroy())
  },
  '/large': (_request, response) => response.end('a'.repeat(LIMIT_BYTES + 1)),
  '/endless': (_request, response) => {
    response.writeHead(200)
    const write = () => {
      while (response.write('1,a\n'.repeat(100)));
    }
    response.on('drain', write)
    write()
  },
}
const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0] ?? ''
  requested.push(path)
  const page = pages[path]
  if (page) page(request, response)
  else response.writeHead(404).end()
})

const service = await withStorage({ allowedHosts: ['127.0.0.1'], dataUrlBytes: LIMIT_BYTES })
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
const bucketId = await service.createBucket('main')
afterAll(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

let tables = 0
const create = (dataUrl: string, settings: Record<string, unknown> = {}) =>
  service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
    name: `t${++tables}`,
    dataUrl,
    ...settings,
  })
const rowsOf = async (id: string) =>
  (await service.call('GET', `/v2/storage/tables/${id}/data-preview`)).text
    .trimEnd()
    .split('\n')
    .slice(1)
    .toSorted()

describe('a load from an address', () => {
  it.each(['people.csv', 'moved'])('creates a table from /%s', async path => {
    const { status, body } = await create(`${origin}/${path}?signature=secret`, { primaryKey: 'id' })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      status: 'success',
      operationName: 'tableCreate',
      operationParams: { source: { type: 'url', dataUrl: `${origin}/${path}` } },
      results: { columns: ['id', 'name'], primaryKey: ['id'], rowsCount: 2 },
    })
    expect(JSON.stringify(body)).not.toContain('signature')
    expect(await rowsOf(body.results.id)).toEqual(['"1","a"', '"2","b"'])
  })

  it('keeps the address sealed among the items of the service', async () => {
    const written: string[] = []
    const watched = await withStorage({
      allowedHosts: ['127.0.0.1'],
      items: items => ({
        ...items,
        put: (key, attributes, when) => {
          written.push(JSON.stringify({ ...key, ...attributes }))
          return items.put(key, attributes, when)
        },
      }),
    })
    await watched.createBucket('main')
    const query = 'signature=very-secret-signature'
    const dataUrl = `${origin}/people.csv?${query}`
    const headers = { 'Idempotency-Key': 'sealed once' }
    const created = async () =>
      (
        await watched.call(
          'POST',
          '/v2/storage/buckets/in.c-main/tables-async',
          { name: 'people', dataUrl },
          headers,
        )
      ).body
    const job = await created()
    expect(job).toMatchObject({ status: 'success', results: { rowsCount: 2 } })
    expect((await created()).id).toBe(job.id)
    await watched.call('POST', `/v2/storage/tables/${job.results.id}/import-async`, { dataUrl })
    expect(written.filter(item => item.includes('KBC::ProjectSecure::')).length).toBeGreaterThan(1)
    expect(written.filter(item => item.includes('very-secret'))).toEqual([])
  })

  it('reads gzip, and imports into a table', async () => {
    const { body: created } = await create(`${origin}/people.csv.gz`)
    const { body } = await service.call('POST', `/v2/storage/tables/${created.results.id}/import-async`, {
      dataUrl: `${origin}/more.csv`,
      incremental: true,
    })
    expect(body).toMatchObject({ status: 'success', results: { importedRowsCount: 1, totalRowsCount: 2 } })
    expect(await rowsOf(created.results.id)).toEqual(['"1","a"', '"3","c"'])
  })

  it('reads the address once, however often its job runs', async () => {
    const waiting = await withStorage({
      allowedHosts: ['127.0.0.1'],
      isRunningJobs: false,
      jobWaitMs: 0,
    })
    await waiting.createBucket('main')
    const { body: job } = await waiting.call('POST', '/v2/storage/buckets/in.c-main/tables-async', {
      name: 'once',
      dataUrl: `${origin}/people.csv?once`,
    })
    const before = requested.length
    const { runJob } = await import('#functions/run-job/run-job.ts')
    // The process dies after the copy: nothing can be written to the tables any more.
    const dying = {
      ...waiting.jobServices,
      tableEngine: () => Promise.reject(new Error('the process died')),
    }
    for (let times = 0; times < 2; times++)
      await expect(runJob({ jobId: job.id }, dying)).rejects.toThrow('the process died')
    await runJob({ jobId: job.id }, waiting.jobServices)
    expect(requested.slice(before)).toEqual(['/people.csv'])
    const { body: done } = await waiting.call('GET', `/v2/storage/jobs/${job.id}`)
    expect(done).toMatchObject({ status: 'success', results: { rowsCount: 2 } })
  })

  it.each([
    ['missing', 'storage.dataUrl.failed', 'answered with status 404'],
    ['busy', 'storage.dataUrl.failed', 'answered with status 503'],
    ['half', 'storage.dataUrl.failed', 'could not be read'],
    ['loop', 'storage.dataUrl.failed', 'redirects more than 5 times'],
    ['large', 'storage.dataUrl.tooLarge', `more than ${LIMIT_BYTES} bytes`],
    ['endless', 'storage.dataUrl.tooLarge', `more than ${LIMIT_BYTES} bytes`],
    ['inward', 'storage.dataUrl.forbidden', '127.0.0.2 is not on the public internet'],
  ])('fails with what is wrong at /%s, and leaves no table', async (path, code, text) => {
    const { body } = await create(`${origin}/${path}?signature=secret`)
    expect(body).toMatchObject({ status: 'error', error: { code, message: expect.stringContaining(text) } })
    expect(JSON.stringify(body)).not.toContain('signature')
    const { status } = await service.call('GET', `/v2/storage/tables/${bucketId}.t${tables}`)
    expect(status).toBe(404)
  })

  it.each([
    'http://127.0.0.2/',
    'http://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://2130706434/',
  ])('never reads %s', async address => {
    const { body } = await create(address)
    expect(body).toMatchObject({ status: 'error', error: { code: 'storage.dataUrl.forbidden' } })
  })

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/a.csv',
    'no address',
    'https://user:password@example.com/',
  ])('is refused at once for %s', async address => {
    const { status, body } = await create(address)
    expect([status, body.code]).toEqual([400, 'storage.tables.validation'])
    expect(body.error).not.toContain('password@')
  })

  it('is refused together with a file', async () => {
    const { status, body } = await create(`${origin}/people.csv`, { dataFileId: 1 })
    expect([status, body.code]).toEqual([400, 'storage.tables.validation'])
  })
})
