import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { sampleOf } from '../support/choose-kills.ts'
import { poll, SELDOM } from '../support/poll.ts'

const KEY = 'in.c-main/orders.csv'
const ROWS_BEFORE = 1_000
const ROWS_AFTER = 150_000

const csvOf = (rows: number, mark: string): string =>
  `id,mark,text\n${Array.from({ length: rows }, (_, index) => `${index},${mark},"text of ""${index}"""\n`).join('')}`

/** `test/faults/kill-import.test.ts` dies at each write in turn; here the process is really killed. */
const DELAYS_MS = [0, 150, 300, 500, 800]

const dataDir = folderUntilEnd()
let child: ChildProcess | undefined
let facts: CloudFacts

// The cloud that came back after one kill is the one that the next kill hits.
beforeEach(async () => {
  if (!isAlive()) await start()
})

afterAll(async () => {
  await kill()
})

const isAlive = (): boolean => child?.exitCode === null && child.signalCode === null

const kill = async (): Promise<void> => {
  if (!child || !isAlive()) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const start = async (): Promise<void> => {
  const started = spawn(process.execPath, ['cli/millrace.ts', 'start'], {
    env: { ...process.env, MILLRACE_DATA_DIR: dataDir, MILLRACE_API_PORT: '0', MILLRACE_S3_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = started
  for await (const line of createInterface({ input: started.stdout })) {
    const printed: CloudFacts & { event: string } = JSON.parse(line)
    if (printed.event !== 'ready') continue
    facts = printed
    return
  }
  throw new Error('The embedded cloud ended before it was ready')
}

const api = callerOf(() => facts)

/** The number of rows, and the marks in the first thousand, of one snapshot. */
const look = async (): Promise<{ rows: number; marks: string[] }> => {
  for (;;) {
    const before = await api('GET', 'tables/in.c-main.orders')
    const preview = await api(
      'GET',
      'tables/in.c-main.orders/data-preview?format=json&limit=1000&columns=mark',
    )
    const after = await api('GET', 'tables/in.c-main.orders')
    if (before.rowsCount !== after.rowsCount) continue
    const marks = new Set<string>(preview.rows.map(([cell]: [{ value: string }]) => cell.value))
    return { rows: after.rowsCount, marks: [...marks] }
  }
}

const put = (body: string) =>
  s3Of(facts).send(new PutObjectCommand({ Bucket: facts.landingBucket, Key: KEY, Body: body }))

const chosen = sampleOf(DELAYS_MS, 1)

it.each(chosen)(
  `${chosen.length} of ${DELAYS_MS.length} moments, %i ms after the file was acknowledged: the killed import still ends, with the old table or the new one until then`,
  async delay => {
    const jobsBefore = (await api('GET', 'jobs?limit=100')).length
    await put(csvOf(ROWS_BEFORE, `before ${delay}`))
    await poll(
      () => api('GET', 'jobs?limit=100'),
      jobs => jobs.length > jobsBefore && jobs[0].status === 'success',
    )

    const content = csvOf(ROWS_AFTER, `after ${delay}`)
    const { VersionId } = await put(content)
    await new Promise(resolve => setTimeout(resolve, delay))
    await kill()

    await start()
    const head = new HeadObjectCommand({ Bucket: facts.landingBucket, Key: KEY, VersionId })
    expect((await s3Of(facts).send(head)).ContentLength).toBe(content.length)

    const oldTable = { rows: ROWS_BEFORE, marks: [`before ${delay}`] }
    const newTable = { rows: ROWS_AFTER, marks: [`after ${delay}`] }
    await poll(
      async () => {
        const seen = await look()
        expect([oldTable, newTable]).toContainEqual(seen)
        return seen
      },
      ({ rows }) => rows === ROWS_AFTER,
      SELDOM,
    )
    await poll(
      () => api('GET', 'jobs?limit=1'),
      ([job]) => job.status === 'success',
    )
    expect(await api('GET', 'jobs?limit=100')).toHaveLength(jobsBefore + 2)
  },
)
