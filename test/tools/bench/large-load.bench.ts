import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { DuckDBInstance } from '@duckdb/node-api'
import { createTableContents } from '#lib/storage/tables/content/table-contents.ts'
import { quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import { figure } from './figure.ts'
import { runMeasured } from './run-measured.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * A CSV file that outgrows one function, cut, staged and committed by the job machine of the embedded cloud, from the
 * request to the table. Each record has quotes and line breaks, so that every cut is in the middle of one.
 *
 * Sizes by environment: MILLRACE_BENCH_BYTES (268,435,456), MILLRACE_BENCH_RANGE_BYTES (67,108,864),
 * MILLRACE_BENCH_PARALLEL (2).
 */
const sizeOf = (name: string, standard: number): number => Number(process.env[name] ?? standard)
const MiB = 1024 ** 2
const BYTES = sizeOf('MILLRACE_BENCH_BYTES', 256 * MiB)
const RANGE_BYTES = sizeOf('MILLRACE_BENCH_RANGE_BYTES', 64 * MiB)
const PARALLEL = sizeOf('MILLRACE_BENCH_PARALLEL', 2)
const POLL_MS = 250
/** S3 takes at most 5 GiB in one request. */
const SLICE_BYTES = 4 * 1024 * MiB

const TEXT = 'said: ""yes"",\nand ""no"",\r\nthen again, '.repeat(3)
const BATCH = 5_000

const recordsFrom = (first: number): string => {
  let text = ''
  for (let id = first; id < first + BATCH; id++)
    text += `${id},"customer ""${id % 1000}"" ${TEXT}",${(id * 7919) % 100_000},"${'\n'.repeat(id % 5)}"\n`
  return text
}

/** Writes records from a number on until there are so many bytes. Resolves to the next number. */
const writeCsv = async (path: string, first: number, bytes: number): Promise<number> => {
  const out = createWriteStream(path, { highWaterMark: 4 * MiB })
  let id = first
  for (let written = 0; written < bytes; id += BATCH) {
    const batch = Buffer.from(recordsFrom(id))
    written += batch.length
    if (!out.write(batch)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  return id
}

// biome-ignore lint/suspicious/noExplicitAny: a reply has whatever shape the benchmark expects
type Reply = any

const call = async (
  { api, token }: StartedCloud,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> => {
  const response = await fetch(`${api}/v2/storage/${path}`, {
    method,
    headers: { 'X-StorageApi-Token': token, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}

/** Uploads records as slices of a file, one at a time, so that the disk holds no second copy of all. */
const uploadRecords = async (
  cloud: StartedCloud,
  s3: S3Client,
  folder: string,
): Promise<{ fileId: number; rows: number; bytes: number }> => {
  const isSliced = BYTES > SLICE_BYTES ? 1 : 0
  const file = await call(cloud, 'POST', 'files/prepare', { name: 'large.csv', isSliced, federationToken: 1 })
  const { bucket: Bucket, key } = file.uploadParams
  const slices: string[] = []
  let rows = 0
  let bytes = 0
  while (bytes < BYTES) {
    const path = join(folder, 'slice.csv')
    rows = await writeCsv(path, rows, Math.min(SLICE_BYTES, BYTES - bytes))
    const { size: ContentLength } = await stat(path)
    const Key = isSliced ? `${key}${slices.length}` : key
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(path), ContentLength }))
    await rm(path)
    slices.push(Key)
    bytes += ContentLength
  }
  const entries = slices.map(Key => ({ url: `s3://${Bucket}/${Key}` }))
  if (isSliced)
    await s3.send(new PutObjectCommand({ Bucket, Key: `${key}manifest`, Body: JSON.stringify({ entries }) }))
  return { fileId: file.id, rows, bytes }
}

/**
 * Reads every file of the table, and throws unless each record is there once and whole: their number, the sum of their ids and
 * two sums of hashes of the ids are those of the records, and no cell differs.
 */
const checkRows = async (s3: S3Client, folder: string, rows: number): Promise<void> => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GiB' })
  const duckdb = await instance.connect()
  const sums = 'count(*), sum(id), sum(hash(id) >> 32), bit_xor(hash(id))'
  const found = `CREATE TABLE found (n HUGEINT, ids HUGEINT, hashes HUGEINT, xors UBIGINT, wrong HUGEINT)`
  await duckdb.run(found)
  const plain = TEXT.replaceAll('""', '"')
  const isWrong = `
    "text" <> 'customer "' || (id % 1000) || '" ' || ${quoteLiteral(plain)}
    OR number <> ((id * 7919) % 100000)::VARCHAR OR lines <> repeat(chr(10), (id % 5)::INTEGER)`
  const Bucket = await tablesBucketOf(s3)
  const metadata = (await objectsOf(s3, Bucket)).filter(key => key.endsWith('.metadata.json'))
  const contents = createTableContents({ s3, tablesBucket: Bucket, snapshotRetentionDays: 1 })
  for (const { key: Key } of await contents.files(metadata.toSorted().at(-1) ?? '')) {
    const path = join(folder, 'check.parquet')
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    await writeFile(path, (await Body?.transformToByteArray()) ?? new Uint8Array())
    await duckdb.run(`
      INSERT INTO found SELECT ${sums}, count(*) FILTER (${isWrong})
      FROM (SELECT * REPLACE (id::BIGINT AS id) FROM read_parquet(${quoteLiteral(path)}))`)
  }
  const total = 'sum(n), sum(ids), sum(hashes), bit_xor(xors), sum(wrong)'
  const [is] = (await duckdb.runAndReadAll(`SELECT ${total} FROM found`)).getRows()
  const [wanted] = (
    await duckdb.runAndReadAll(`SELECT ${sums}, 0 FROM (SELECT range AS id FROM range(${rows}))`)
  ).getRows()
  if (String(is) !== String(wanted)) throw new Error(`The table has ${is} instead of ${wanted}`)
  duckdb.closeSync()
  instance.closeSync()
}

const tablesBucketOf = async (s3: S3Client): Promise<string> => {
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
  return Buckets.find(({ Name }) => Name?.includes('tables'))?.Name ?? ''
}

const objectsOf = async (s3: S3Client, Bucket: string): Promise<string[]> => {
  const keys: string[] = []
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'tables/' }))
    keys.push(...Contents.map(({ Key = '' }) => Key))
  return keys
}

/** The most memory of a process that scans or stages the first range once more, as a function of 3,008 MiB. */
const stepMemoryMb = async (
  { s3: endpoint, region, accessKeyId, secretAccessKey }: StartedCloud,
  s3: S3Client,
  step: 'scan' | 'stage',
): Promise<number> => {
  const bucket = await tablesBucketOf(s3)
  const request = (await objectsOf(s3, bucket)).find(key => key.endsWith('/load/request.json')) ?? ''
  const [, internalId, jobId] = request.split('/').map(Number)
  const event = { step, load: { internalId, jobId }, item: 0 }
  const program = join(import.meta.dirname, 'run-piece.ts')
  const { peakMemoryMb } = await runMeasured(process.execPath, [program, JSON.stringify(event)], {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '3008',
    TABLES_BUCKET: bucket,
    LOAD_RANGE_BYTES: String(RANGE_BYTES),
  })
  return peakMemoryMb
}

const untilDone = async (cloud: StartedCloud, id: number): Promise<void> => {
  for (;;) {
    const job = await call(cloud, 'GET', `jobs/${id}`)
    if (job.status === 'success') return
    if (job.status === 'error') throw new Error(JSON.stringify(job.error))
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

const folder = await mkdtemp(join(process.env['MILLRACE_BENCH_DIR'] ?? tmpdir(), 'millrace-bench-large-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  process.env['MILLRACE_CONTEXT'] = JSON.stringify({
    sizes: {
      singleLoadBytes: Math.min(RANGE_BYTES, BYTES - 1),
      loadRangeBytes: RANGE_BYTES,
      partsAtOnce: PARALLEL,
    },
  })
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const { fileId, rows, bytes } = await uploadRecords(cloud, s3, folder)
  await call(cloud, 'POST', 'buckets', { name: 'bench' })
  const start = performance.now()
  const job = await call(cloud, 'POST', 'buckets/in.c-bench/tables-async', {
    name: 'large',
    dataFileId: fileId,
    columns: ['id', 'text', 'number', 'lines'],
  })
  await untilDone(cloud, job.id)
  const seconds = (performance.now() - start) / 1000
  const table = await call(cloud, 'GET', 'tables/in.c-bench.large')
  if (table.rowsCount !== rows) throw new Error(`The table has ${table.rowsCount} rows instead of ${rows}`)
  const peakMemoryMb = await cloud.peakMemoryMb()
  await checkRows(s3, folder, rows)
  const figures = [
    figure('large load (request to table)', 's', seconds),
    figure('large load, rows', 'rows', rows),
    figure('large load, CSV', 'MB/s', bytes / 1e6 / seconds),
    figure('large load, peak memory of one scan', 'MB', await stepMemoryMb(cloud, s3, 'scan')),
    figure('large load, peak memory of one stage', 'MB', await stepMemoryMb(cloud, s3, 'stage')),
    figure('large load, peak memory (embedded cloud and all)', 'MB', peakMemoryMb),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
