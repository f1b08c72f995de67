import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'
import { figure, median } from './figure.ts'
import { writeSampleCsv } from './sample-csv.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'
import { syncFile } from './sync-file.ts'

/**
 * The export of a table of 1,000,000 rows and 10 columns from the request until its job is done, with the slices in the
 * object store, against DuckDB's own `COPY … TO` of the same rows from one local Parquet file to one local CSV file of the
 * same form, synced as ours are. Both plain and compressed; what is exported is downloaded slice by slice and compared
 * with what DuckDB wrote.
 */
const ROWS = 1_000_000
const ROUNDS = 3
const TABLE = 'in.c-bench.orders'
const FORM = `FORMAT csv, HEADER false, FORCE_QUOTE *`

const Job = z.object({
  id: z.number(),
  status: z.string(),
  results: z.object({ file: z.object({ id: z.number() }), cacheHit: z.boolean() }).nullable(),
})
const SlicedFile = z.object({
  url: z.string(),
  credentials: z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), SessionToken: z.string() }),
})
const Manifest = z.object({ entries: z.array(z.object({ url: z.string() })) })

const call = async (cloud: StartedCloud, method: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(`${cloud.api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': cloud.token, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const importTable = async (cloud: StartedCloud, s3: S3Client, csv: string): Promise<void> => {
  await s3.send(
    new PutObjectCommand({
      Bucket: cloud.landingBucket,
      Key: `${TABLE.slice(0, TABLE.lastIndexOf('.'))}/orders.csv`,
      Body: createReadStream(csv),
      ContentLength: (await stat(csv)).size,
    }),
  )
  const start = performance.now()
  for (;;) {
    const table = await call(cloud, 'GET', `tables/${TABLE}`).catch(() => ({}))
    if ('rowsCount' in Object(table) && Object(table).rowsCount === ROWS) return
    if (performance.now() - start > 120_000) throw new Error('The import did not end within two minutes')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

/** Seconds of one export, and its file. `tag` makes each export different, so that none comes from the cache. */
const timeExport = async (
  cloud: StartedCloud,
  options: Record<string, unknown>,
): Promise<{ seconds: number; fileId: number }> => {
  const start = performance.now()
  let job = Job.parse(await call(cloud, 'POST', `tables/${TABLE}/export-async`, options))
  while (job.status === 'waiting' || job.status === 'processing')
    job = Job.parse(await call(cloud, 'GET', `jobs/${job.id}`))
  const seconds = (performance.now() - start) / 1000
  if (!job.results || job.results.cacheHit) throw new Error(`The export was not made: ${JSON.stringify(job)}`)
  return { seconds, fileId: job.results.file.id }
}

const digest = async (bytes: AsyncIterable<Uint8Array>, hash = createHash('sha256')): Promise<string> => {
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest('hex')
}

/** Digest of the slices in the order of the manifest, read with the file's own credentials. */
const digestExport = async (cloud: StartedCloud, fileId: number, gzip: boolean): Promise<string> => {
  const file = SlicedFile.parse(await call(cloud, 'GET', `files/${fileId}?federationToken=1`))
  const s3 = new S3Client({
    endpoint: cloud.s3,
    region: cloud.region,
    forcePathStyle: true,
    credentials: {
      accessKeyId: file.credentials.AccessKeyId,
      secretAccessKey: file.credentials.SecretAccessKey,
      sessionToken: file.credentials.SessionToken,
    },
  })
  try {
    const { entries } = Manifest.parse(await (await fetch(file.url)).json())
    const slices = async function* (): AsyncGenerator<Uint8Array> {
      for (const { url } of entries) {
        const { Body } = await s3.send(
          new GetObjectCommand({ Bucket: new URL(url).host, Key: new URL(url).pathname.slice(1) }),
        )
        // On Node the SDK's bodies are Readable streams.
        yield* Body as Readable
      }
    }
    // Concatenated gzip members are one gzip file.
    return await digest(gzip ? Readable.from(slices()).pipe(createGunzip()) : slices())
  } finally {
    s3.destroy()
  }
}

/** DuckDB with its own defaults, on the rows as one Parquet file that it made itself. */
const startDuckDb = async (csv: string) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const parquet = `${csv}.parquet`
  await connection.run(
    `COPY (SELECT coalesce(COLUMNS(*), '') FROM read_csv('${csv}', header = true, all_varchar = true)) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
  )
  return {
    timeCopy: async (target: string, options: string): Promise<number> => {
      const start = performance.now()
      await connection.run(`COPY (SELECT * FROM '${parquet}') TO '${target}' (${options})`)
      await syncFile(target)
      return (performance.now() - start) / 1000
    },
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-export-'))
const csv = join(folder, 'orders.csv')
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
let duckDb: Awaited<ReturnType<typeof startDuckDb>> | undefined
try {
  await writeSampleCsv(csv, ROWS)
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  await importTable(cloud, s3, csv)
  const afterImportMb = await cloud.peakMemoryMb()
  duckDb = await startDuckDb(csv)
  const seconds = {
    alone: [] as number[],
    ours: [] as number[],
    aloneGzip: [] as number[],
    oursGzip: [] as number[],
  }
  for (let round = 1; round <= ROUNDS; round++) {
    const limit = ROWS + round // Another export each time, of the same rows.
    seconds.alone.push(await duckDb.timeCopy(join(folder, 'alone.csv'), FORM))
    const plain = await timeExport(cloud, { limit })
    seconds.ours.push(plain.seconds)
    if (round === 1)
      seconds.aloneGzip.push(await duckDb.timeCopy(join(folder, 'alone.csv.gz'), `${FORM}, COMPRESSION gzip`))
    const compressed = await timeExport(cloud, { limit, gzip: true })
    seconds.oursGzip.push(compressed.seconds)
    if (round > 1) continue
    const expected = await digest(createReadStream(join(folder, 'alone.csv')))
    if ((await digestExport(cloud, plain.fileId, false)) !== expected)
      throw new Error('The export differs from what DuckDB wrote')
    if ((await digestExport(cloud, compressed.fileId, true)) !== expected)
      throw new Error('The compressed export differs from what DuckDB wrote')
  }
  const figures = [
    figure(
      'export 1,000,000 rows (request to finished job)',
      's',
      median(seconds.ours),
      median(seconds.alone),
    ),
    figure('export 1,000,000 rows, gzip', 's', median(seconds.oursGzip), median(seconds.aloneGzip)),
    figure(
      'export peak memory (embedded cloud and all; baseline: after the import)',
      'MB',
      await cloud.peakMemoryMb(),
      afterImportMb,
    ),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  duckDb?.close()
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
