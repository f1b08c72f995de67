import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { ApiShape } from './extractor-api.ts'
import { figure, median } from './figure.ts'
import { startApi } from './start-api.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * From a stored configuration to loaded tables: 1,000,000 rows over 1,000 pages, with a list in each row that becomes a
 * second table of twice as many. Against its two halves in the same run: the extractor's command alone, from the same
 * API to files, and the import alone of those files, from the landing bucket to the tables.
 */
const SHAPE: ApiShape = { rowsPerPage: 1000, pages: 1000, latencyMs: 0 }
const ROWS = SHAPE.rowsPerPage * SHAPE.pages
const TABLES = { rows: ROWS, rows_tags: 2 * ROWS }
const ROUNDS = 3
const POLL_MS = 50
const GIVE_UP_SECONDS = 300

const configuration = (origin: string, outputBucket: string) => ({
  parameters: {
    api: { baseUrl: `${origin}/`, pagination: { method: 'offset', limit: SHAPE.rowsPerPage } },
    config: { outputBucket, jobs: [{ endpoint: 'rows' }] },
  },
})

const secondsSince = (start: number) => (performance.now() - start) / 1000

const request = async (cloud: StartedCloud, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': cloud.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // Replies of the service, whose shapes its tests check.
  const reply = (await response.json()) as Record<string, unknown>
  return { ok: response.ok, reply }
}

const areLoaded = async (cloud: StartedCloud, bucketId: string): Promise<boolean> => {
  for (const [name, rows] of Object.entries(TABLES)) {
    const { ok, reply } = await request(cloud, 'GET', `tables/${bucketId}.${name}`)
    if (!ok || reply['rowsCount'] !== rows) return false
  }
  return true
}

const untilLoaded = async (cloud: StartedCloud, bucketId: string, start: number): Promise<number> => {
  while (!(await areLoaded(cloud, bucketId))) {
    if (secondsSince(start) > GIVE_UP_SECONDS) throw new Error(`${bucketId} was not loaded in time`)
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  return secondsSince(start)
}

/** The command as a user runs it. */
const timeCommand = async (origin: string, dataDir: string, bucket: string): Promise<number> => {
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(configuration(origin, bucket)))
  const start = performance.now()
  const cli = join(import.meta.dirname, '../../../cli/bin.js')
  const child = spawn(process.execPath, [cli, 'extract', dataDir], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The extraction ended with ${code}`)
  return secondsSince(start)
}

/** Imports its files; measured from the moment that the landing bucket has them. */
const timeImport = async (cloud: StartedCloud, s3: S3Client, dataDir: string, bucket: string) => {
  for (const name of Object.keys(TABLES)) {
    const path = join(dataDir, 'out', 'tables', `${bucket}.${name}`)
    const { size } = await stat(path)
    const Key = `in.c-${bucket}/${name}.csv`
    const Body = createReadStream(path)
    await s3.send(new PutObjectCommand({ Bucket: cloud.landingBucket, Key, Body, ContentLength: size }))
  }
  return untilLoaded(cloud, `in.c-${bucket}`, performance.now())
}

const timeRun = async (cloud: StartedCloud, origin: string, bucket: string): Promise<number> => {
  await request(cloud, 'POST', 'components/ex-generic-v2/configs', {
    configurationId: bucket,
    name: bucket,
    configuration: configuration(origin, bucket),
  })
  const start = performance.now()
  await request(cloud, 'POST', `components/ex-generic-v2/configs/${bucket}/run`)
  return untilLoaded(cloud, `in.c-${bucket}`, start)
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-extraction-'))
const api = await startApi(SHAPE)
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  const { origin } = api
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const commands: number[] = []
  const imports: number[] = []
  const runs: number[] = []
  // Alternately, so that other load on the machine affects all of them.
  for (let round = 1; round <= ROUNDS; round++) {
    const dataDir = join(folder, `command${round}`)
    commands.push(await timeCommand(origin, dataDir, `alone${round}`))
    imports.push(await timeImport(cloud, s3, dataDir, `alone${round}`))
    runs.push(await timeRun(cloud, origin, `run${round}`))
    await rm(dataDir, { recursive: true })
  }
  const halves = median(commands) + median(imports)
  const lines = [
    figure('configuration to loaded tables, 1,000,000 rows over 1,000 pages', 's', median(runs), halves),
    figure('the extractor alone, to files', 's', median(commands)),
    figure('the import alone of these files', 's', median(imports)),
    figure('extraction peak memory (embedded cloud and all)', 'MB', await cloud.peakMemoryMb()),
  ]
  for (const line of lines) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await api.stop()
  await rm(folder, { recursive: true, force: true })
}
