import { ListBucketsCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTableObjects } from '#lib/storage/tables/content/table-objects.ts'
import { s3Of } from '#support/cloud-clients.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { createKilledCloud, type RunningCloud } from '#support/killed-cloud.ts'
import { hasEnded, poll, SELDOM } from '#support/poll.ts'
import { isThorough } from '#support/thorough.ts'
import { folderUntilEnd } from '#support/until-end.ts'

/**
 * Really kills the process of the cloud in the middle of large loads by key. Deaths at each single call are played in one
 * process: test/faults/kill-large-load.test.ts.
 */

/** Loads of more than 4 KB are cut and staged. */
const context = { sizes: { singleLoadBytes: 4_000, loadRangeBytes: 4_000 } }
const OLD_ROWS = 60
const CHANGED_FROM = 40
const CHANGED_TO = 440

const dataDir = folderUntilEnd()
let cloud: ReturnType<typeof createKilledCloud>
let facts: RunningCloud
let s3: S3Client
let tablesBucket: string

const start = async (): Promise<void> => {
  facts = await cloud.start()
  s3?.destroy()
  s3 = s3Of(facts)
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
  tablesBucket = Buckets.find(({ Name }) => Name?.includes('tables'))?.Name ?? ''
}

beforeAll(async () => {
  cloud = createKilledCloud(dataDir, context)
  await start()
})

afterAll(async () => {
  s3?.destroy()
  await cloud?.kill()
})

// Tests look into replies freely and compare what they find.
// biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the test expects
const api = async (path: string): Promise<any> => {
  const response = await fetch(`${facts.api}/${path}`, {
    headers: { 'X-StorageApi-Token': facts.token ?? '', authorization: `Bearer ${facts.token}` },
  })
  return response.json()
}

const rowsOf = (from: number, to: number, mark: string): [id: string, mark: string][] =>
  Array.from({ length: to - from }, (_, index) => [String(from + index), mark])

const drop = (name: string, rows: [string, string][], incremental: boolean) => {
  const Body = `id,mark\n${rows.map(row => `${row.join(',')}\n`).join('')}`
  const Metadata = { 'primary-key': 'id', incremental: incremental ? '1' : '0' }
  return s3.send(
    new PutObjectCommand({ Bucket: facts.landingBucket, Key: `in.c-main/${name}.csv`, Body, Metadata }),
  )
}

/** All rows of one snapshot, by id; none when there is no table. */
const look = async (name: string): Promise<Record<string, string>> => {
  const { rows = [] } = await api(`v2/storage/tables/in.c-main.${name}/data-preview?format=json&limit=1000`)
  return Object.fromEntries(rows.map(([id, mark]: { value: string }[]) => [id?.value, mark?.value]))
}

const jobs = async (): Promise<{ status: string }[]> => {
  const found = await api('v2/storage/jobs?limit=100')
  return Array.isArray(found) ? found : []
}

const staged = async (document: string): Promise<number> => {
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: tablesBucket, Prefix: 'tables/' }),
  )
  return Contents.filter(({ Key }) => Key?.endsWith(`/load/${document}.json`)).length
}

/** When the process is killed: something of the load is there that was not before, and so long ago. */
interface Moment {
  count: () => Promise<number>
  afterMs?: number
}

const isCut: Moment = { count: () => staged('cut') }
const isStaging: Moment = { count: () => staged('folded') }
/** Once all rows are staged, `run-job` merges them and moves the head. */
const isMerging = (afterMs: number): Moment => ({ count: () => staged('staged-0'), afterMs })

type Case = [what: string, when: Moment, creates: boolean]

const usual: Case = ['a load into a table, while its rows are staged', isStaging, false]
const others: readonly Case[] = [
  ['a load into a table, while its file is cut', isCut, false],
  ['a load that creates its table, while its rows are staged', isStaging, true],
  ...[0, 50, 150, 400].flatMap((ms): Case[] => [
    [`a load into a table, ${ms} ms after the first rows were staged`, isMerging(ms), false],
    [`a load that creates its table, ${ms} ms after that`, isMerging(ms), true],
  ]),
]
const chosen = isThorough ? [usual, ...others] : [usual]

let tables = 0

it.each(chosen)(
  `${chosen.length} of ${others.length + 1} moments: killed in %s`,
  async (_, when, creates) => {
    const name = `t${++tables}`
    const old = creates ? [] : rowsOf(0, OLD_ROWS, 'old')
    if (!creates) {
      await drop(name, old, false)
      await poll(
        () => look(name),
        rows => Object.keys(rows).length === OLD_ROWS,
        SELDOM,
      )
      await poll(jobs, all => all.every(hasEnded))
    }
    const jobsBefore = (await jobs()).length
    const countBefore = await when.count()

    // Each key twice: the last one counts.
    const changed = rowsOf(CHANGED_FROM, CHANGED_TO, 'new')
    await drop(name, [...rowsOf(CHANGED_FROM, CHANGED_TO, 'first'), ...changed], true)
    await poll(when.count, count => count > countBefore)
    if (when.afterMs) await new Promise(resolve => setTimeout(resolve, when.afterMs))
    await cloud.kill()
    await start()

    const oldTable = Object.fromEntries(old)
    const newTable = Object.fromEntries([...old, ...changed])
    const isNew = (rows: Record<string, string>) => Object.keys(rows).length === Object.keys(newTable).length
    const seen = await poll(
      async () => {
        const rows = await look(name)
        // The old table or the new one, never a mixture.
        expect(rows).toEqual(isNew(rows) ? newTable : oldTable)
        return rows
      },
      isNew,
      SELDOM,
    )
    expect(seen).toEqual(newTable)
    await poll(jobs, all => all.every(hasEnded))
    const all = await jobs()
    expect(all).toHaveLength(jobsBefore + 1)
    expect(all.every(({ status }) => status === 'success')).toBe(true)

    const { 'metadata-location': location } = await api(`iceberg/v1/namespaces/in_c_main/tables/${name}`)
    const found = await icebirdRows(createTableObjects(s3, tablesBucket).read, location)
    expect(Object.fromEntries(found.map(({ id, mark }) => [id, mark]))).toEqual(newTable)
  },
)
