import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { DuckDBInstance } from '@duckdb/node-api'
import pMap from 'p-map'
import { createTableContents } from '#lib/storage/tables/content/table-contents.ts'
import type { TableRecord } from '#lib/storage/tables/table-record.ts'
import { quoteList, quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import { type Snapshot, withFiles } from '#lib/table-engine/files/snapshot.ts'
import { createTableEngine } from '#lib/table-engine/table-engine.ts'
import { startTestS3 } from '../../support/embedded-s3.ts'
import { timeDuckDbAlone } from './duckdb-alone.ts'
import { figure, median } from './figure.ts'
import { selectOrders } from './orders-sql.ts'

/**
 * What a keyed load costs in a large table, on the embedded S3: a change of rows whose keys follow each other, and of
 * rows anywhere, against a full rewrite of the table with DuckDB (what version 0.1 did when every file had a changed
 * row). Then many loads of one row, and the first page of a preview.
 *
 * Sizes by environment: MILLRACE_BENCH_ROWS (10,000,000), MILLRACE_BENCH_CHANGES (10,000), MILLRACE_BENCH_LOADS (1,000).
 */
const sizeOf = (name: string, standard: number): number => Number(process.env[name] ?? standard)
const ROWS = sizeOf('MILLRACE_BENCH_ROWS', 10_000_000)
const CHANGES = sizeOf('MILLRACE_BENCH_CHANGES', 10_000)
const LOADS = sizeOf('MILLRACE_BENCH_LOADS', 1_000)
const PLAIN_ROWS = Math.min(ROWS, 1_000_000)
const ROUNDS = 3

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-keyed-'))
const server = await startTestS3()
const s3 = server.client
const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GiB' })
const duckdb = await instance.connect()

const seconds = async <Result>(work: () => Promise<Result>): Promise<[number, Result]> => {
  const start = performance.now()
  const result = await work()
  return [(performance.now() - start) / 1000, result]
}

const putCsv = async (name: string, select: string): Promise<string> => {
  const path = join(folder, `${name}.csv`)
  await duckdb.run(`COPY (${select}) TO ${quoteLiteral(path)} (FORMAT csv, HEADER)`)
  const { size } = await stat(path)
  await s3.send(
    new PutObjectCommand({
      Bucket: 'data',
      Key: name,
      Body: createReadStream(path),
      ContentLength: size,
    }),
  )
  return path
}

const engine = createTableEngine({
  s3,
  tablesBucket: 'tables',
  scratchDir: join(folder, 'scratch'),
  // A function of 2 GiB.
  memoryLimitMiB: 307,
  threads: 2,
})

let loads = 0
const load = (name: string, current?: Snapshot, primaryKey = ['id']) =>
  engine.load({
    tableId: 'in.c-bench.orders',
    keyPrefix: `tables/1/${++loads}/`,
    loadedAt: new Date(1_700_000_000_000 + loads * 1000),
    current,
    primaryKey,
    incremental: current !== undefined,
    source: {
      slices: [{ bucket: 'data', key: name }],
      isSliced: false,
      delimiter: ',',
      enclosure: '"',
      escapedBy: '',
    },
  })

const contents = createTableContents({ s3, tablesBucket: 'tables', snapshotRetentionDays: 7 })
let metadataKey: string | undefined

/** A load as a job makes it: the files of the table by its metadata, the load, and a commit. */
const loadAndCommit = async (name: string, index: number, current?: Snapshot): Promise<Snapshot> => {
  const files = metadataKey === undefined ? undefined : await contents.files(metadataKey)
  const before = current && files ? withFiles(current, files) : undefined
  const { snapshot } = await load(name, before)
  const created = new Date(1_700_000_000_000 + index * 1000).toISOString()
  const record = {
    internalId: 1,
    metadataKey,
    snapshot,
    revision: index,
    lastJobId: index,
    created,
  }
  metadataKey = await contents.save(record as unknown as TableRecord) // all that a commit reads of it
  return snapshot
}

/** All files to the disk, merged by DuckDB into new files, and these to S3 again. */
const rewriteWhole = async ({ files }: Snapshot, changes: string): Promise<void> => {
  const work = join(folder, 'rewrite')
  const written = join(work, 'written')
  await mkdir(work)
  const paths = await pMap(
    files,
    async ({ key }, index) => {
      const path = join(work, `${index}.parquet`)
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'tables', Key: key }))
      // On Node the SDK's bodies are Readable streams.
      await pipeline(Body as AsyncIterable<Uint8Array>, createWriteStream(path))
      return path
    },
    { concurrency: 4 },
  )
  await duckdb.run(`
    COPY (
      WITH changes AS (SELECT * FROM read_csv(${quoteLiteral(changes)}, header = true, all_varchar = true))
      SELECT * EXCLUDE (_timestamp, _digest) FROM read_parquet(${quoteList(paths)}) ANTI JOIN changes USING (id)
      UNION ALL SELECT * FROM changes
    ) TO ${quoteLiteral(written)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, FILE_SIZE_BYTES '4MB')`)
  await pMap(
    await readdir(written),
    async name => {
      const path = join(written, name)
      const { size } = await stat(path)
      const target = { Bucket: 'tables', Key: `rewritten/${name}` }
      await s3.send(new PutObjectCommand({ ...target, Body: createReadStream(path), ContentLength: size }))
    },
    { concurrency: 4 },
  )
  await rm(work, { recursive: true })
}

try {
  for (const Bucket of ['data', 'tables']) await s3.send(new CreateBucketCommand({ Bucket }))
  const plain = await putCsv('plain', selectOrders(`SELECT range AS id FROM range(${PLAIN_ROWS})`))
  const withoutKey: number[] = []
  const withKey: number[] = []
  const alone: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await timeDuckDbAlone(plain))
    withoutKey.push((await seconds(() => load('plain', undefined, [])))[0])
    withKey.push((await seconds(() => load('plain')))[0])
  }
  const label = `${PLAIN_ROWS.toLocaleString('en')} rows`
  print(`load ${label} without a key (ratio: to DuckDB alone)`, 's', median(withoutKey), median(alone))
  print(
    `load ${label} into a new table with a key (ratio: to DuckDB alone)`,
    's',
    median(withKey),
    median(alone),
  )

  await putCsv('all', selectOrders(`SELECT range AS id FROM range(${ROWS})`))
  const { snapshot: table } = await load('all')
  const first = Math.floor(ROWS * 0.7)
  const random = `SELECT DISTINCT (hash(range) % ${ROWS})::BIGINT AS id FROM range(${CHANGES})`
  const changes = {
    'ascending keys': { ids: `SELECT range AS id FROM range(${first}, ${first + CHANGES})`, key: 'id' },
    'random keys': { ids: random, key: 'id' },
    // One for each order, so it can be a key: no range of keys leaves a file out.
    'UUID keys': { ids: random, key: 'customer' },
  }
  for (const [kind, { ids, key }] of Object.entries(changes)) {
    const csv = await putCsv(kind, selectOrders(ids, 1))
    const current = key === 'id' ? table : (await load('all', undefined, [key])).snapshot
    const [rewriting] = await seconds(() => rewriteWhole(current, csv))
    const [took, { bytesRead, snapshot }] = await seconds(() => load(kind, current, [key]))
    if (snapshot.rowsCount !== table.rowsCount) throw new Error(`The load made ${snapshot.rowsCount} rows.`)
    const what = `keyed load, ${CHANGES.toLocaleString('en')} of ${ROWS.toLocaleString('en')} rows, ${kind}`
    print(`${what} (ratio: to a full rewrite)`, 's', took, rewriting)
    print(`${what}: bytes read (ratio: to the table)`, 'B', bytesRead, current.dataSizeBytes)
  }

  const pages: number[] = []
  let pageBytes = 0
  for (let round = 0; round < 5; round++) {
    const [took, { bytesRead }] = await seconds(() => engine.preview(table, { limit: 100 }))
    pages.push(took * 1000)
    pageBytes = bytesRead
  }
  print(`first page of a preview of ${ROWS.toLocaleString('en')} rows`, 'ms', median(pages))
  print('first page of a preview: bytes read', 'B', pageBytes)

  const times: number[] = []
  let small: Snapshot | undefined
  for (let index = 0; index < LOADS; index++) {
    // Every other load changes a row of an earlier one.
    const id = index % 2 === 0 ? index : (index * 7919) % index
    await putCsv('one', selectOrders(`SELECT ${id} AS id`, index))
    const [took, snapshot] = await seconds(() => loadAndCommit('one', index, small))
    times.push(took * 1000)
    small = snapshot
  }
  const part = Math.min(100, Math.ceil(LOADS / 4))
  const what = `${LOADS.toLocaleString('en')} loads of one row, the last ${part}`
  print(
    `${what} (ratio: to the first ${part})`,
    'ms',
    median(times.slice(-part)),
    median(times.slice(0, part)),
  )
  print('files of the table after them', '', small?.files.length ?? 0)
} finally {
  duckdb.closeSync()
  instance.closeSync()
  await server.close()
  await rm(folder, { recursive: true, force: true })
}

function print(...of: Parameters<typeof figure>): void {
  console.log(JSON.stringify(figure(...of)))
}
