import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { figure } from './figure.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * What memory the embedded cloud holds under load: four clients that load rows by key, drop files, export, write configurations and
 * read previews, one after the other, for MILLRACE_BENCH_MINUTES (15). One line a minute goes to standard error.
 */
const MINUTES = Number(process.env['MILLRACE_BENCH_MINUTES'] ?? 15)
const CLIENTS = 4
const ROWS = 200
const KEYS = 20_000
const REST_MINUTES = 1
const POLL_MS = 200

const Job = z.looseObject({ id: z.union([z.string(), z.number()]), status: z.string() })
const Prepared = z.looseObject({
  id: z.number(),
  uploadParams: z.looseObject({
    bucket: z.string(),
    key: z.string(),
    credentials: z.looseObject({
      AccessKeyId: z.string(),
      SecretAccessKey: z.string(),
      SessionToken: z.string(),
    }),
  }),
})

interface Client {
  cloud: StartedCloud
  s3: S3Client
  number: number
}

const ask = async ({ cloud }: { cloud: StartedCloud }, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${cloud.api}/v2/storage${path}`, {
    method,
    headers: { 'X-StorageApi-Token': cloud.token, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

const finish = async (client: Client, reply: string): Promise<void> => {
  let job = Job.parse(JSON.parse(reply))
  while (job.status === 'waiting' || job.status === 'processing') {
    await wait(POLL_MS)
    job = Job.parse(JSON.parse(await ask(client, 'GET', `/jobs/${job.id}`)))
  }
  if (job.status !== 'success') throw new Error(`Job ${job.id} ended as ${job.status}`)
}

const csvOf = (seed: number): string =>
  `id,name,amount\n${Array.from({ length: ROWS }, (_, row) => {
    const id = (seed * 7919 + row * 104_729) % KEYS
    return `${id},"Customer ${id}, ""seen"" ${seed}",${(id * 1.25).toFixed(2)}`
  }).join('\n')}\n`

const loadByKey = async (client: Client, turn: number): Promise<void> => {
  const reply = await ask(client, 'POST', '/files/prepare', { name: 'rows.csv', federationToken: true })
  const { id, uploadParams } = Prepared.parse(JSON.parse(reply))
  const { AccessKeyId, SecretAccessKey, SessionToken } = uploadParams.credentials
  const s3 = new S3Client({
    endpoint: client.cloud.s3,
    region: client.cloud.region,
    forcePathStyle: true,
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
  })
  try {
    const { bucket: Bucket, key: Key } = uploadParams
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: csvOf(turn * CLIENTS + client.number) }))
  } finally {
    s3.destroy()
  }
  const load = { dataFileId: id, incremental: true }
  await finish(
    client,
    await ask(client, 'POST', `/tables/in.c-main.keyed${client.number}/import-async`, load),
  )
}

const dropFile = async ({ cloud, s3, number }: Client, turn: number): Promise<void> => {
  await s3.send(
    new PutObjectCommand({
      Bucket: cloud.landingBucket,
      Key: `in.c-main/dropped${(number + turn) % 8}/${number}-${turn}.csv`,
      Body: csvOf(turn),
      Metadata: { incremental: '1' },
    }),
  )
}

const exportTable = async (client: Client): Promise<void> =>
  finish(client, await ask(client, 'POST', `/tables/in.c-main.keyed${client.number}/export-async`, {}))

const writeConfiguration = (client: Client, turn: number) =>
  ask(client, 'PUT', `/components/ex-generic-v2/configs/c${client.number}`, {
    configuration: { parameters: { api: { baseUrl: 'http://127.0.0.1/' }, config: { turn, jobs: [] } } },
  })

const preview = (client: Client) =>
  ask(client, 'GET', `/tables/in.c-main.keyed${client.number}/data-preview?limit=100`)

const prepare = async (client: Client): Promise<void> => {
  await ask(client, 'POST', '/buckets/in.c-main/tables-definition', {
    name: `keyed${client.number}`,
    primaryKeysNames: ['id'],
    columns: ['id', 'name', 'amount'].map(name => ({ name })),
  })
  await ask(client, 'POST', '/components/ex-generic-v2/configs', {
    configurationId: `c${client.number}`,
    name: `c${client.number}`,
  })
}

/** Its turns until the time is over; gives how many there were. */
const work = async (client: Client, until: number): Promise<number> => {
  let turn = 0
  for (; performance.now() < until; turn++) {
    await loadByKey(client, turn)
    await dropFile(client, turn)
    await writeConfiguration(client, turn)
    await preview(client)
    if (turn % 5 === 0) await exportTable(client)
  }
  return turn
}

/** The memory held at the end of each minute. Ends when the work does. */
const watch = async (cloud: StartedCloud, signal: AbortSignal): Promise<number[]> => {
  const seen: number[] = []
  while (!signal.aborted) {
    await wait(60_000, undefined, { signal }).catch(() => undefined)
    seen.push(await cloud.memoryMb())
    console.error(`after minute ${seen.length}: ${Math.round(seen.at(-1) ?? 0)} MB`)
  }
  return seen
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-growth-memory-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  cloud = await startCloud(folder)
  const started: StartedCloud = cloud
  const files = new S3Client({
    endpoint: cloud.s3,
    region: cloud.region,
    credentials: cloud,
    forcePathStyle: true,
  })
  s3 = files
  await ask({ cloud }, 'POST', '/buckets', { name: 'main', stage: 'in' })
  const clients = Array.from({ length: CLIENTS }, (_, number) => ({ cloud: started, s3: files, number }))
  for (const client of clients) await prepare(client)
  const atRest = await cloud.memoryMb()

  const ended = new AbortController()
  const watching = watch(cloud, ended.signal)
  const begun = performance.now()
  const turns = await Promise.all(clients.map(client => work(client, begun + MINUTES * 60_000))).finally(() =>
    ended.abort(),
  )
  const seen = await watching
  const seconds = (performance.now() - begun) / 1000
  const peak = await cloud.peakMemoryMb()
  await wait(REST_MINUTES * 60_000)

  const done = turns.reduce((sum, count) => sum + count, 0)
  const figures = [
    figure('growth, memory: loads and dropped files a second', '/s', (2 * done) / seconds),
    figure('growth, memory: after the first minute (baseline: before any load)', 'MB', seen[0] ?? 0, atRest),
    figure(
      `growth, memory: after ${MINUTES} minutes (baseline: after the first)`,
      'MB',
      seen.at(-1) ?? 0,
      seen[0],
    ),
    figure('growth, memory: the most held', 'MB', peak),
    figure(`growth, memory: ${REST_MINUTES} minute at rest after it`, 'MB', await cloud.memoryMb()),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
