import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { createAdaptorServer } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textFinder } from '../../cli/erase/text-finder.ts'
import { runMillrace } from '../support/millrace.ts'
import { type StorageService, startStorageService } from '../support/storage-service.ts'

let service: StorageService
let server: Server
let folder: string
/** How many deletions the service still answers: then its connection breaks. */
let deletionsLeft = Number.POSITIVE_INFINITY

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-erase-test-'))
  service = await startStorageService()
  server = createAdaptorServer({
    fetch: request =>
      request.method === 'DELETE' && deletionsLeft-- <= 0
        ? new Response('', { status: 500 })
        : service.app.fetch(request),
  }) as Server // Without options it makes a plain HTTP server.
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await new Promise(resolve => server.close(resolve))
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const erase = async (...args: string[]) => {
  const { port } = server.address() as AddressInfo // It listens on a port.
  const environment = { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_TOKEN: service.token }
  return runMillrace(['erase', ...args], { environment, workingFolder: folder })
}

const jane = ['--column', 'email', '--value', 'jane@example.com']
const people = 'id,email\n1,jane@example.com\n2,joe@example.com\n3,jim@example.com\n'

describe('erase', () => {
  it('finds a person in tables, snapshots, files and configurations, and changes nothing', async () => {
    await service.createBucket('main')
    await service.createTable('in.c-main', 'people', people, { primaryKey: 'id' })
    await service.createTable('in.c-main', 'cities', 'id,city\n1,Brno\n')
    await service.call('POST', '/v2/storage/tables/in.c-main.people/snapshots', { description: 'kept' })
    await service.upload(gzipSync(people), { name: 'people.csv.gz' })
    await service.upload('x-jane@example.com.au\n', { name: 'another.txt' })
    const query = { sql: 'SELECT * FROM in.c-main.people', format: 'parquet' }
    await service.call('POST', '/v2/storage/query', query)
    await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'Shop',
      configuration: { parameters: { config: { mail: 'jane@example.com', jobs: [] } } },
    })
    const { code, stdout } = await erase(...jane, '--json')
    expect(code).toBe(0)
    const found = JSON.parse(stdout).found as { kind: string; id: string; rows?: number }[]
    const of = (kind: string) => found.filter(each => each.kind === kind)
    expect(of('table')).toMatchObject([{ id: 'in.c-main.people', rows: 1 }])
    expect(of('snapshot')).toMatchObject([{ rows: 1, about: 'of in.c-main.people' }])
    expect(of('file').map(({ id }) => id)).toHaveLength(3) // what was loaded, the other one, and the result of the query in Parquet
    expect(of('configuration')).toMatchObject([
      { id: 'ex-generic-v2/shop', about: 'as it is now, version 1' },
    ])
    const { body } = await service.call('GET', '/v2/storage/tables/in.c-main.people')
    expect(body.rowsCount).toBe(3)
    expect(await erase(...jane)).toMatchObject({
      stdout: expect.stringContaining('Nothing was changed'),
      stderr: '',
    })
    const misspelt = await erase('--column', 'emial', ...jane)
    expect(misspelt.stderr).toBe('No table has a column "emial": is it written as in the tables?\n')
  })

  it('goes on where it was cut off, and leaves a receipt that does not name the person', async () => {
    deletionsLeft = 2
    expect((await erase(...jane, '--yes', '--receipt', 'jane.json')).code).toBe(2)
    deletionsLeft = Number.POSITIVE_INFINITY
    const { code, stdout } = await erase(...jane, '--yes', '--receipt', 'jane.json')
    expect([code, stdout]).toEqual([0, expect.stringContaining('table in.c-main.people: 1 row erased')])
    const text = await readFile(join(folder, 'jane.json'), 'utf8')
    expect(text).not.toContain('jane@')
    const { erased, left } = JSON.parse(text)
    expect(erased.map(({ kind }: { kind: string }) => kind)).toEqual([
      'table',
      'snapshot',
      'file',
      'file',
      'file',
    ])
    expect(new Set(left.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['configuration']))
    const { text: rows } = await service.call('GET', '/v2/storage/tables/in.c-main.people/data-preview')
    expect(rows).not.toContain('jane')
  })

  it('leaves no earlier state of the table', async () => {
    const { body } = await service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', {
      name: 'then',
      sourceTableId: 'in.c-main.people',
      timestamp: new Date(Date.now() - 1).toISOString(),
    })
    const rows = body.status === 'success' ? body.results.rowsCount : 2
    expect(rows).toBe(2)
  })

  it("leaves a file that it cannot read, which may be anybody's, and says so", async () => {
    const cut = gzipSync('id,email\n1,somebody@example.com\n').subarray(0, 24)
    const id = await service.upload(cut, { name: 'cut.csv.gz' })
    const zoe = ['--column', 'email', '--value', 'zoe@example.com', '--receipt', 'zoe.json']
    const { code } = await erase(...zoe, '--yes')
    const { erased, left } = JSON.parse(await readFile(join(folder, 'zoe.json'), 'utf8'))
    expect([code, erased.filter(({ kind }: { kind: string }) => kind === 'file')]).toEqual([1, []])
    expect(left).toMatchObject([{ kind: 'file', reason: expect.stringContaining('could not be read') }])
    expect((await service.call('GET', `/v2/storage/files/${id}`)).status).toBe(200)
  })

  it('refuses the receipt of another person, and a token that does not see everything', async () => {
    const other = await erase(
      '--column',
      'email',
      '--value',
      'joe@example.com',
      '--yes',
      '--receipt',
      'jane.json',
    )
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('no receipt of this person')])
    const { body } = await service.call('POST', '/v2/storage/tokens', { description: 'some' })
    const some = await erase(...jane, '--token', body.token)
    expect([some.code, some.stderr]).toEqual([1, expect.stringContaining('Use the master token')])
  })
})

describe('textFinder', () => {
  it.each([
    ['a,jane@example.com\n', true],
    ['jane@example.com', true],
    ['xjane@example.com', false],
    ['jane@example.com2', false],
    ['x-jane@example.com', false],
    ['jane@example.com.au', false],
    ['Ask jane@example.com.', true],
    ['{"m":"jane@example.com"}', true],
  ])('in %j: %s, however it is cut', async (text, isFound) => {
    const finder = textFinder(['jane@example.com'])
    for (let at = 0; at <= text.length; at++) {
      const chunks = Readable.from([Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))])
      expect([at, await finder.inBytes(chunks)]).toEqual([at, isFound])
    }
  })

  it('knows how CSV and JSON write it', async () => {
    const finder = textFinder(['Žofie "Z" Nová'])
    const written = [
      '"Žofie ""Z"" Nová"',
      JSON.stringify({ a: 'Žofie "Z" Nová' }),
      '"\\u017dofie \\"Z\\" Nov\\u00e1"',
    ]
    for (const text of written)
      expect([text, await finder.inBytes(Readable.from([Buffer.from(text)]))]).toEqual([text, true])
  })
})
