import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { RFC_4180 } from '#lib/table-engine/csv/csv-dialect.ts'
import { splitCsv } from '#lib/table-engine/csv/split-csv.ts'
import { timeDuckDbAlone } from './duckdb-alone.ts'
import { figure, median } from './figure.ts'
import { writeSampleCsv } from './sample-csv.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * The import of a large CSV file (1,000,000 rows of 10 columns, 150 MB, with quotes and line breaks in cells) from the
 * moment that the landing bucket has it until the table does, against DuckDB alone from the same local file to Parquet.
 */
const ROWS = 1_000_000
const ROUNDS = 3
const POLL_MS = 50

const timeScan = async (csv: string): Promise<number> => {
  const start = performance.now()
  const file = createReadStream(csv, { highWaterMark: 1024 * 1024 })
  for await (const _ of splitCsv(file, { dialect: RFC_4180, chunkBytes: 8 * 1024 * 1024, hasHeader: true }));
  return (performance.now() - start) / 1000
}

const countRows = async (cloud: StartedCloud, tableId: string): Promise<number> => {
  const response = await fetch(`${cloud.api}/v2/storage/tables/${tableId}`, {
    headers: { 'X-StorageApi-Token': cloud.token },
  })
  if (!response.ok) {
    await response.arrayBuffer()
    return 0
  }
  const table: unknown = await response.json()
  return typeof table === 'object' && table && 'rowsCount' in table ? Number(table.rowsCount) : 0
}

const timeImport = async (cloud: StartedCloud, s3: S3Client, csv: string, round: number): Promise<number> => {
  await s3.send(
    new PutObjectCommand({
      Bucket: cloud.landingBucket,
      Key: `in.c-bench/orders${round}.csv`,
      Body: createReadStream(csv),
      ContentLength: (await stat(csv)).size,
    }),
  )
  const start = performance.now()
  while ((await countRows(cloud, `in.c-bench.orders${round}`)) !== ROWS) {
    if (performance.now() - start > 120_000) throw new Error('The import did not end within two minutes')
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  return (performance.now() - start) / 1000
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-import-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  const csv = join(folder, 'orders.csv')
  await writeSampleCsv(csv, ROWS)
  const { size } = await stat(csv)
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const alone: number[] = []
  const imports: number[] = []
  const scans: number[] = []
  // Alternately, so that other load on the machine affects all of them.
  for (let round = 1; round <= ROUNDS; round++) {
    alone.push(await timeDuckDbAlone(csv))
    scans.push(await timeScan(csv))
    imports.push(await timeImport(cloud, s3, csv, round))
  }
  const figures = [
    figure('import 1,000,000 rows (landing bucket to table)', 's', median(imports), median(alone)),
    figure('import peak memory (embedded cloud and all)', 'MB', await cloud.peakMemoryMb()),
    figure('check CSV against RFC 4180', 'MB/s', size / 1e6 / median(scans)),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
