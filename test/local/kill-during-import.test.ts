import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'

const KEY = 'in.c-main/orders.csv'
const ROWS_BEFORE = 1_000
const ROWS_AFTER = 300_000

const csvOf = (rows: number, mark: string): string =>
  `id,mark,text\n${Array.from({ length: rows }, (_, index) => `${index},${mark},"text of ""${index}"""\n`).join('')}`

let dataDir: string
const running = new Set<ChildProcess>()

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-kill-'))
})

// A failed test must not leave the data directory locked for the next one.
afterEach(async () => {
  await Promise.all([...running].map(endNow))
})

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

const endNow = async (child: ChildProcess): Promise<void> => {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const start = async (): Promise<{ facts: CloudFacts; kill: () => Promise<void> }> => {
  const child = spawn(process.execPath, ['cli/millrace.ts', 'start'], {
    env: { ...process.env, MILLRACE_DATA_DIR: dataDir, MILLRACE_API_PORT: '0', MILLRACE_S3_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const facts: CloudFacts & { event: string } = JSON.parse(line)
    if (facts.event !== 'ready') continue
    return { facts, kill: () => endNow(child) }
  }
  throw new Error('The embedded cloud ended before it was ready')
}

// Tests look into replies freely and compare what they find.
// biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
const api = async ({ api, token }: CloudFacts, path: string): Promise<any> => {
  const response = await fetch(`${api}/v2/storage/${path}`, {
    headers: { 'X-StorageApi-Token': token ?? '' },
  })
  return response.json()
}

const s3Of = ({ s3, region, accessKeyId, secretAccessKey }: CloudFacts): S3Client =>
  new S3Client({ endpoint: s3, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })

const until = async (isDone: () => Promise<boolean>): Promise<void> => {
  while (!(await isDone())) await new Promise(resolve => setTimeout(resolve, 50))
}

/** The number of rows, and the marks in the first thousand, of one snapshot. */
const look = async (facts: CloudFacts): Promise<{ rows: number; marks: string[] }> => {
  for (;;) {
    const before = await api(facts, 'tables/in.c-main.orders')
    const preview = await api(
      facts,
      'tables/in.c-main.orders/data-preview?format=json&limit=1000&columns=mark',
    )
    const after = await api(facts, 'tables/in.c-main.orders')
    if (before.rowsCount !== after.rowsCount) continue
    const marks = new Set<string>(preview.rows.map(([cell]: [{ value: string }]) => cell.value))
    return { rows: after.rowsCount, marks: [...marks] }
  }
}

const put = (facts: CloudFacts, body: string) =>
  s3Of(facts).send(new PutObjectCommand({ Bucket: facts.landingBucket, Key: KEY, Body: body }))

it.each([0, 150, 300, 500, 800])(
  'killed %i ms after the file was acknowledged: the import still ends, with the old table or the new one until then',
  { timeout: 180_000 },
  async delay => {
    const first = await start()
    const jobsBefore = (await api(first.facts, 'jobs?limit=100')).length
    await put(first.facts, csvOf(ROWS_BEFORE, `before ${delay}`))
    await until(async () => {
      const jobs = await api(first.facts, 'jobs?limit=100')
      return jobs.length > jobsBefore && jobs[0].status === 'success'
    })

    const { VersionId } = await put(first.facts, csvOf(ROWS_AFTER, `after ${delay}`))
    await new Promise(resolve => setTimeout(resolve, delay))
    await first.kill()

    const second = await start()
    const head = new HeadObjectCommand({ Bucket: second.facts.landingBucket, Key: KEY, VersionId })
    expect((await s3Of(second.facts).send(head)).ContentLength).toBe(
      csvOf(ROWS_AFTER, `after ${delay}`).length,
    )

    const oldTable = { rows: ROWS_BEFORE, marks: [`before ${delay}`] }
    const newTable = { rows: ROWS_AFTER, marks: [`after ${delay}`] }
    await until(async () => {
      const seen = await look(second.facts)
      expect([oldTable, newTable]).toContainEqual(seen)
      return seen.rows === ROWS_AFTER
    })
    await until(async () => (await api(second.facts, 'jobs?limit=1'))[0].status === 'success')
    expect(await api(second.facts, 'jobs?limit=100')).toHaveLength(jobsBefore + 2)
    await second.kill()
  },
)
