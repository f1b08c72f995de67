import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Execution } from '#lib/cloud/machines.ts'
import { describeFailure } from '#lib/errors/machine-failure.ts'
import { itemTables } from '#local/runtime/names.ts'
import { s3Of } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import { executionName } from '../../functions/lib/cloud/execution-name.ts'
import { createImportRecords, objectKeyId, recordKey } from '../../functions/start-import/key-records.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { readerOf, s3Of as s3OfCatalog } from '../support/catalog-reader.ts'
import { keptLetters, lettersOneByOne } from '../support/dead-letter.ts'
import { eventually } from '../support/eventually.ts'
import { icebirdRows } from '../support/icebird-view.ts'
import { poll } from '../support/poll.ts'
import { isThorough } from '../support/thorough.ts'

const dataDir = folderUntilEnd()
let cloud: EmbeddedCloud
let s3: S3Client
let bucketId: string
let buckets = 0

beforeAll(async () => {
  cloud = await startCloud({ dataDir })
  s3 = s3Of(cloud)
})

afterAll(async () => {
  s3?.destroy()
  await cloud?.close()
})

beforeEach(() => {
  buckets += 1
  bucketId = `in.c-flow${buckets}`
})

const api = async (path: string, init: RequestInit = {}) =>
  fetch(`${cloud.api}/v2/storage/${path}`, { ...init, headers: { 'X-StorageApi-Token': cloud.token ?? '' } })

// Tests look into replies freely and compare what they find.
// biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
const apiJson = async (path: string): Promise<any> => (await api(path)).json()

/** What all functions have written, as `millrace logs` reads it. */
const loggedLines = async (): Promise<Record<string, unknown>[]> => {
  const files = globSync(join(dataDir, 'logs', '*.log'))
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8')))
  // The last line may be half written.
  const whole = texts.flatMap(text => text.slice(0, text.lastIndexOf('\n') + 1).split('\n'))
  return whole.filter(line => line.startsWith('{')).map(line => JSON.parse(line))
}

const machineArn = () => cloud.describeOutputs()['ImportMachineArn'] ?? ''

const executionsSince = async (seen: ReadonlySet<string>): Promise<string[]> => {
  const { executions } = await cloud.host.machines.list(machineArn())
  return executions.map(({ executionArn }) => executionArn).filter(arn => !seen.has(arn))
}

/** The executions that are not among those seen, when there are so many. */
const startedSince = (seen: ReadonlySet<string>, count: number): Promise<string[]> =>
  poll(
    () => executionsSince(seen),
    started => started.length >= count,
  )

const endOf = (executionArn: string): Promise<Partial<Execution> & { executionArn: string }> =>
  poll(
    async () => ({ executionArn, ...(await cloud.host.machines.describe({ executionArn })) }),
    ({ status }) => status !== 'RUNNING',
  )

/** Puts an object and waits until the execution that it started has ended. */
const drop = async (key: string, body: string | Uint8Array, metadata: Record<string, string> = {}) => {
  const before = new Set(await executionsSince(new Set()))
  const put = await s3.send(
    new PutObjectCommand({ Bucket: cloud.landingBucket, Key: key, Body: body, Metadata: metadata }),
  )
  const [executionArn = ''] = await startedSince(before, 1)
  const ended = await endOf(executionArn)
  return { ...ended, reason: describeFailure({ Cause: ended.cause }).message, versionId: put.VersionId }
}

/** All cells of a table by export of its preview; the tables of these tests are smaller than a preview's limit. */
const cellsOf = async (tableId: string): Promise<string[][]> =>
  parse(await (await api(`tables/${tableId}/data-preview?limit=1000`)).text(), { relax_column_count: false })

const deadLetters = lettersOneByOne(() => keptLetters(cloud, 'import'))

describe('a file in the landing bucket', () => {
  it('becomes a table whose every cell equals the input', async () => {
    const csv = await readFile('local/demo/data/orders.csv')
    const head = parse(csv).slice(0, 900) as string[][]
    const quoted = head.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n')
    const { status, output } = await drop(`${bucketId}/orders.csv`, quoted)
    expect(status).toBe('SUCCEEDED')
    expect(JSON.parse(output ?? '')).toMatchObject({ tableId: `${bucketId}.orders`, status: 'success' })
    expect((await cellsOf(`${bucketId}.orders`)).sort()).toEqual(head.sort())
  })

  it('has one id from its event to its rows: in the logs of all functions, its file, its job and the events', async () => {
    const { executionArn, output } = await drop(`${bucketId}/traced.csv`, 'id\n1\n')
    const id = executionName(executionArn)
    const { jobId } = JSON.parse(output ?? '')
    const job = await apiJson(`jobs/${jobId}`)
    const file = await apiJson(`files/${job.operationParams.source.fileId}`)
    expect({ job: job.runId, file: file.runId }).toEqual({ job: id, file: id })
    // The event of a job comes after its end, and a line is in its function's file a moment after it was written.
    const events = async (): Promise<{ event: string }[]> => apiJson(`events?runId=${encodeURIComponent(id)}`)
    await eventually(async () =>
      expect((await events()).map(({ event }) => event)).toContain('storage.tableImportDone'),
    )
    const lines = await eventually(async () => {
      const found = (await loggedLines()).filter(line => line['correlationId'] === id)
      const said = found.map(({ service, message, route }) => [service, message, route ?? ''].join(' '))
      expect(said).toEqual(
        expect.arrayContaining([
          'start-import started ',
          'start-import ended ',
          'storage-api request answered /v2/storage/files/prepare',
          'storage-api request answered /v2/storage/buckets/:bucketId/tables-async',
          'run-job job started ',
          'run-job File loaded ',
          'run-job job ended ',
        ]),
      )
      return found
    })
    expect(lines.filter(line => line['service'] === 'run-job').map(line => line['jobId'])).toEqual(
      expect.arrayContaining([jobId]),
    )
  })

  it('is read by an engine with what the catalog gives, and that reads nothing else', async () => {
    await drop(`${bucketId}/a-b.csv`, 'id\n1\n2\n')
    await drop(`${bucketId}/other.csv`, 'id\n3\n')
    const load = async (table: string) => {
      const target = `${cloud.api}/iceberg/v1/namespaces/${bucketId.replaceAll(/[.-]/g, '_')}/tables/${table}`
      const headers = {
        authorization: `Bearer ${cloud.token}`,
        'x-iceberg-access-delegation': 'vended-credentials',
      }
      // biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
      const reply: any = await (await fetch(target, { headers })).json()
      return { location: String(reply['metadata-location']), config: reply.config }
    }
    const [table, other] = [await load('a_b'), await load('other')]
    const client = s3OfCatalog(table.config)
    try {
      const rows = await icebirdRows(readerOf(client), table.location)
      expect(rows.map(({ id }) => id).toSorted()).toEqual(['1', '2'])
      await expect(readerOf(client)(other.location)).rejects.toThrow('Access Denied')
    } finally {
      client.destroy()
    }
  })

  it('may be compressed', async () => {
    await drop(`${bucketId}/orders.csv.gz`, gzipSync('id,name\n1,Jürgen\n'))
    expect(await cellsOf(`${bucketId}.orders`)).toEqual([
      ['id', 'name'],
      ['1', 'Jürgen'],
    ])
  })

  it('may be JSON lines, by its key', async () => {
    const lines = '{"id": 1, "city": "Plzeň"}\n{"id": 2, "city": "Brno, centre"}\n'
    await drop('in.c-flow/lines/2026-11-26.ndjson.gz', gzipSync(lines))
    await drop('in.c-flow/lines/2026-11-27.jsonl', lines, { incremental: '1' })
    expect(await cellsOf('in.c-flow.lines')).toEqual([
      ['id', 'city'],
      ...[1, 2].flatMap(() => [
        ['1', 'Plzeň'],
        ['2', 'Brno, centre'],
      ]),
    ])
  })

  it('is read as its metadata says', async () => {
    const metadata = {
      columns: 'id,name',
      delimiter: ';',
      enclosure: "'",
      'primary-key': 'id',
      incremental: '1',
    }
    await drop(`${bucketId}/orders/1.csv`, "1;'a;b'\n2;c\n", metadata)
    await drop(`${bucketId}/orders/2.csv`, "2;C\n3;'d''e'\n", metadata)
    expect((await cellsOf(`${bucketId}.orders`)).sort()).toEqual([
      ['1', 'a;b'],
      ['2', 'C'],
      ['3', "d'e"],
      ['id', 'name'],
    ])
  })

  it('is imported with many that land at once, also for one new table', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => `${bucketId}/many/${index}.csv`)
    const before = new Set(await executionsSince(new Set()))
    await Promise.all(
      keys.map((Key, index) =>
        s3.send(
          new PutObjectCommand({
            Bucket: cloud.landingBucket,
            Key,
            Body: `id\n${index}\n`,
            Metadata: { incremental: '1' },
          }),
        ),
      ),
    )
    const started = await startedSince(before, keys.length)
    const ends = await Promise.all(started.map(endOf))
    expect(ends.map(({ status, error, cause }) => [status, error, cause])).toEqual(
      keys.map(() => ['SUCCEEDED', undefined, undefined]),
    )
    expect((await cellsOf(`${bucketId}.many`)).flat().sort()).toEqual(['0', '1', '2', '3', '4', '5', 'id'])
  })
})

describe('versions of one key', () => {
  it('are imported in the order in which they were stored', async () => {
    const tables = isThorough ? ['a', 'b', 'c'] : ['a', 'b']
    const versions = Array.from({ length: isThorough ? 5 : 3 }, (_, index) => index + 1)
    const keys = tables.map(table => `${bucketId}/${table}.csv`)
    const metadata = { incremental: '1', 'primary-key': 'id' }
    const before = new Set(await executionsSince(new Set()))
    for (const version of versions) {
      for (const Key of keys) {
        const Body = `id,version\n1,${version}\n${version + 1},${version}\n`
        await s3.send(new PutObjectCommand({ Bucket: cloud.landingBucket, Key, Body, Metadata: metadata }))
      }
    }
    const started = await startedSince(before, versions.length * keys.length)
    const ends = await Promise.all(started.map(endOf))
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']))
    for (const table of tables)
      expect((await cellsOf(`${bucketId}.${table}`)).sort()).toEqual([
        ['1', String(versions.at(-1))],
        ...versions.map(version => [String(version + 1), String(version)]),
        ['id', 'version'],
      ])
  })

  it('do not wait for an execution that has ended', async () => {
    const key = `${bucketId}/orders.csv`
    await drop(key, 'id\n1\n')
    const [ended] = await executionsSince(new Set())
    // What it would have left behind: the key is its, and nobody gives it back.
    const keyId = objectKeyId({ bucket: cloud.landingBucket ?? '', key })
    const table = cloud.items(itemTables.imports)
    const { leaseOf } = createImportRecords({ table, isRunning: async () => true })
    expect(await table.get(recordKey(`lease#${keyId}`))).toBeDefined()
    expect(await leaseOf(keyId).holder()).toBeUndefined()
    await leaseOf(keyId).take({ owner: ended ?? '', versionId: 'another version' }, undefined)
    expect((await drop(key, 'id\n3\n')).status).toBe('SUCCEEDED')
    expect(await cellsOf(`${bucketId}.orders`)).toEqual([['id'], ['3']])
  })
})

/** `test/functions/start-import/start-import.test.ts` has twenty at once; here each is a container that must start. */
const COPIES = isThorough ? 20 : 6

describe('an event delivered more than once', () => {
  const eventOf = (key: string, versionId: string | undefined) => ({
    version: '0',
    id: crypto.randomUUID(),
    'detail-type': 'Object Created',
    source: 'aws.s3',
    account: '000000000000',
    time: new Date().toISOString(),
    region: cloud.region,
    resources: [`arn:aws:s3:::${cloud.landingBucket}`],
    detail: {
      version: '0',
      bucket: { name: cloud.landingBucket },
      object: { key, size: 1, etag: 'x', 'version-id': versionId, sequencer: '00' },
      'request-id': 'r',
      requester: '000000000000',
      'source-ip-address': '127.0.0.1',
      reason: 'PutObject',
    },
  })

  it(`${COPIES} copies at once, after the import: one load`, async () => {
    const key = `${bucketId}/orders.csv`
    const { versionId } = await drop(key, 'id\n1\n', { incremental: '1' })
    const before = new Set(await executionsSince(new Set()))
    await Promise.all(Array.from({ length: COPIES }, () => cloud.execute('import', eventOf(key, versionId))))
    const copies = await executionsSince(before)
    expect(copies).toHaveLength(COPIES)
    const ends = await Promise.all(copies.map(endOf))
    expect(ends.map(({ status }) => status)).toEqual(copies.map(() => 'SUCCEEDED'))
    expect(await cellsOf(`${bucketId}.orders`)).toEqual([['id'], ['1']])
  })

  it(`${COPIES} executions started at once by hand: one load`, async () => {
    const key = `${bucketId}/orders.csv`
    const { versionId } = await drop(key, 'id\n1\n', { incremental: '1' })
    const input = { bucket: cloud.landingBucket, key, versionId }
    const ends = await Promise.all(Array.from({ length: COPIES }, () => cloud.execute('import', input)))
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']))
    expect(await cellsOf(`${bucketId}.orders`)).toEqual([['id'], ['1']])
  })
})

describe('a file that cannot be imported', () => {
  const gzip = gzipSync(`id,name\n${'1,a\n'.repeat(10_000)}`)
  const key = 'in.c-broken/orders.csv'

  beforeAll(async () => {
    await drop(key, 'id,name\n9,before\n')
    expect(await deadLetters.next()).toBeUndefined()
  })

  it.each([
    ['a ragged row', 'id,name\n1,a\n2\n', /line 3/],
    ['an unclosed quote', 'id,name\n1,"a\n2,b\n', /line 2/],
    ['a NUL byte', 'id,name\n1,a\0\n', /line 2/],
    ['invalid UTF-8', Buffer.from('id,name\n1,a\n2,\xff\n', 'latin1'), /line 3/],
    ['a header that names a column twice', 'id,ID\n1,a\n', /id/i],
    ['nothing in it', '', /empty|column/i],
    ['another delimiter', 'id;name\n1;a\n', /delimiter/],
    ['half a gzip', gzip.subarray(0, gzip.length / 2), /gzip/i],
  ])(
    'because it has %s: a helpful error, an unchanged table, the object kept, a dead letter',
    async (_, body, message) => {
      const { status, reason, versionId } = await drop(key, body)
      expect(status).toBe('FAILED')
      expect(reason).toMatch(message)

      expect(await cellsOf('in.c-broken.orders')).toEqual([
        ['id', 'name'],
        ['9', 'before'],
      ])
      const kept = await s3.send(
        new GetObjectCommand({ Bucket: cloud.landingBucket, Key: key, VersionId: versionId }),
      )
      expect(Buffer.from((await kept.Body?.transformToByteArray()) ?? []).equals(Buffer.from(body))).toBe(
        true,
      )
      const written = await deadLetters.arrived()
      expect(await deadLetters.next()).toBeUndefined()
      expect(written).toMatchObject({
        input: { detail: { object: { key } } },
        failure: { message: reason },
      })
      const [job] = await apiJson('jobs?limit=1')
      expect(job).toMatchObject({ status: 'error', error: { message: reason } })
    },
  )

  it('because its key names no table: the dead letter shows a valid key', async () => {
    const { status, reason } = await drop('orders.csv', 'id\n1\n')
    expect(status).toBe('FAILED')
    expect(reason).toContain('in.c-main/orders.csv')
    expect(await deadLetters.arrived()).toMatchObject({
      failure: { code: 'landing.keyNotRecognised', message: expect.stringMatching(/^Cannot tell the table/) },
    })
  })

  it('can be corrected and uploaded again', async () => {
    const key = `${bucketId}/orders.csv`
    await drop(key, 'id,name\n1\n')
    expect(await deadLetters.arrived()).toBeDefined()
    expect((await drop(key, 'id,name\n1,a\n')).status).toBe('SUCCEEDED')
  })

  it('because somebody stops its execution: a dead letter, which the next version of the key removes', async () => {
    const key = `${bucketId}/stopped.csv`
    const before = new Set(await executionsSince(new Set()))
    const Body = `id\n${'1234567\n'.repeat(500_000)}`
    await s3.send(new PutObjectCommand({ Bucket: cloud.landingBucket, Key: key, Body }))
    const [executionArn = ''] = await startedSince(before, 1)
    const execution = { machineArn: machineArn(), name: executionName(executionArn) }
    await cloud.host.machines.stop(execution, { code: 'Enough', message: 'of this' })
    expect(await deadLetters.arrived()).toMatchObject({ failure: { code: 'ABORTED' } })
    expect((await drop(key, 'id\n1\n')).status).toBe('SUCCEEDED')
    const keysOf = async () => JSON.stringify(await keptLetters(cloud, 'import'))
    await eventually(async () => expect(await keysOf()).not.toContain('stopped.csv'))
  })
})
