import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { figure } from './figure.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * Many small files at once: 2,000 files of 100 rows (8 KB) dropped into the landing bucket for 40 tables, from the first
 * write until each row is in its table. MILLRACE_BENCH_FILES changes how many.
 */
const FILES = Number(process.env['MILLRACE_BENCH_FILES'] ?? 2000)
const TABLES = 40
const ROWS = 100
const WRITERS = 8
const POLL_MS = 500
const LONGEST_MS = 900_000

const Table = z.object({ rowsCount: z.number().nullable() })

const fileOf = (file: number): string => {
  let csv = 'id,time,place,amount,note\n'
  for (let row = 0; row < ROWS; row++)
    csv += `${file * ROWS + row},2026-11-22T08:${row % 60}:07.${100 + row}Z,São Paulo,${(row * 17.31).toFixed(2)},"paid, ""in full"""\n`
  return csv
}

const drop = async (cloud: StartedCloud, s3: S3Client): Promise<void> => {
  let next = 0
  const writer = async (): Promise<void> => {
    for (let file = next++; file < FILES; file = next++)
      await s3.send(
        new PutObjectCommand({
          Bucket: cloud.landingBucket,
          Key: `in.c-bench/orders${file % TABLES}/${file}.csv`,
          Body: fileOf(file),
          Metadata: { incremental: '1' },
        }),
      )
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

/** Without metadata: by default a list reads those of each table, which took a quarter of the machine's time. */
const countRows = async (cloud: StartedCloud): Promise<number> => {
  const response = await fetch(`${cloud.api}/v2/storage/tables?include=buckets`, {
    headers: { 'X-StorageApi-Token': cloud.token },
  })
  const reply: unknown = await response.json()
  if (!response.ok)
    throw new Error(`The tables cannot be listed: ${response.status} ${JSON.stringify(reply)}`)
  return z
    .array(Table)
    .parse(reply)
    .reduce((sum, { rowsCount }) => sum + (rowsCount ?? 0), 0)
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-small-files-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const atRest = await cloud.processorSeconds()
  const start = performance.now()
  await drop(cloud, s3)
  const dropped = (performance.now() - start) / 1000
  while ((await countRows(cloud)) !== FILES * ROWS) {
    if (performance.now() - start > LONGEST_MS) throw new Error('The imports did not end within 15 minutes')
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  const figures = [
    figure(
      `drop ${FILES} small files, first write to last row`,
      's',
      (performance.now() - start) / 1000,
      dropped,
    ),
    figure(
      'drop small files, processor time of a file',
      'ms',
      ((await cloud.processorSeconds()) - atRest) * (1000 / FILES),
    ),
    figure('drop small files, peak memory (embedded cloud and all)', 'MB', await cloud.peakMemoryMb()),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
