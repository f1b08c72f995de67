import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { z } from 'zod'
import { figure, median } from './figure.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * What one thing costs in a large project, against the same in a project of ten tables: processor time of the whole process, by
 * request. MILLRACE_BENCH_TABLES changes how many tables there are in one bucket (2,000); a fourth as many buckets, five
 * times as many files and a tenth as many tokens are there too.
 */
const TABLES = Number(process.env['MILLRACE_BENCH_TABLES'] ?? 2000)
const WRITERS = 8
const REQUESTS = 40
const ROUNDS = 3

const reply = z.looseObject({ id: z.union([z.string(), z.number()]).optional() })

const createCaller = (cloud: StartedCloud) => async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${cloud.api}${path}`, {
    method,
    headers: {
      'X-StorageApi-Token': cloud.token,
      ...(path.startsWith('/iceberg') && { authorization: `Bearer ${cloud.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

type Call = ReturnType<typeof createCaller>

const createBucket = async (call: Call, name: string): Promise<string> =>
  String(reply.parse(JSON.parse(await call('POST', '/v2/storage/buckets', { name }))).id)

const define = (call: Call, bucketId: string, name: string) =>
  call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, {
    name,
    primaryKeysNames: [],
    columns: [{ name: 'id' }],
  })

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

const grow = async (call: Call, from: number, to: number): Promise<void> => {
  const concurrency = { concurrency: WRITERS }
  await pMap(numbers(from, to), number => define(call, 'in.c-main', `t${number}`), concurrency)
  const buckets = numbers(Math.floor(from / 4), Math.floor(to / 4))
  await pMap(buckets, async n => define(call, await createBucket(call, `b${n}`), 'one'), concurrency)
  const prepare = (n: number) =>
    call('POST', '/v2/storage/files/prepare', { name: `f${n}`, tags: ['all', `t${n}`] })
  await pMap(numbers(5 * from, 5 * to), prepare, concurrency)
  const grant = (n: number) =>
    call('POST', '/v2/storage/tokens', { description: `t${n}`, canManageBuckets: true })
  await pMap(numbers(Math.floor(from / 10), Math.floor(to / 10)), grant, concurrency)
}

const requests: Record<string, (call: Call, number: number) => Promise<unknown>> = {
  'table detail': call => call('GET', '/v2/storage/tables/in.c-main.t0'),
  'update of a table': (call, number) =>
    call('PUT', '/v2/storage/tables/in.c-main.t0', { displayName: `t0-${number % 7}` }),
  preview: call => call('GET', '/v2/storage/tables/in.c-main.t0/data-preview'),
  'loadTable of the catalogue': call => call('GET', '/iceberg/v1/namespaces/in_c_main/tables/t0'),
  verification: call => call('GET', '/v2/storage/tokens/verify'),
  'files by a tag': call => call('GET', '/v2/storage/files?tags[]=t0'),
}

const measure = async (cloud: StartedCloud, call: Call) => {
  const found: Record<string, number> = {}
  for (const [name, request] of Object.entries(requests)) {
    const perRequest: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const before = await cloud.processorSeconds()
      for (let number = 0; number < REQUESTS; number++) await request(call, number)
      // The first round warms up.
      if (round > 0) perRequest.push(((await cloud.processorSeconds()) - before) * (1000 / REQUESTS))
    }
    found[name] = median(perRequest)
  }
  return found
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-growth-'))
let cloud: StartedCloud | undefined
try {
  cloud = await startCloud(folder)
  const call = createCaller(cloud)
  await createBucket(call, 'main')
  await grow(call, 0, 10)
  const small = await measure(cloud, call)
  await grow(call, 10, TABLES)
  const large = await measure(cloud, call)
  for (const [name, value] of Object.entries(large))
    console.log(JSON.stringify(figure(`${name}, ${TABLES} tables against 10`, 'ms', value, small[name])))

  const listed = await cloud.processorSeconds()
  for (let round = 0; round < ROUNDS; round++)
    await call('GET', '/v2/storage/buckets/in.c-main/tables?include=')
  const perTable = (((await cloud.processorSeconds()) - listed) * 1000) / ROUNDS / TABLES
  console.log(JSON.stringify(figure(`list of ${TABLES} tables, by table`, 'ms', perTable)))
} finally {
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
