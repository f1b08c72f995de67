import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { combineCrc32, formatCrc32 } from '#lib/aws/multipart/combine-crc32.ts'
import { planParts } from '#lib/aws/multipart/plan-parts.ts'
import { figure } from './figure.ts'
import { mergeInProcess, uploadSlices } from './merge-in-process.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/**
 * 10,000 slices of random size (0 bytes to 12 MiB), 3 GiB in all. Most of them are small, as skewed data is. The merged
 * object is read back and compared with the slices; the bytes read are compared with the planner's bound.
 */
const SLICES = 10_000
const MOST_BYTES = 12 * 1024 ** 2
const SKEW = 38 // Of the mean: 12 MiB / 39 = 315 KiB, 3 GiB in all.

/** The same numbers in each run (mulberry32). */
const randomNumbers = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const random = randomNumbers(1)
const sizes = Array.from({ length: SLICES }, () => Math.round(MOST_BYTES * random() ** SKEW))

/** Bytes that differ from slice to slice without being kept. */
const contents = (index: number): Uint8Array => {
  const bytes = Buffer.alloc(sizes[index] ?? 0)
  const pattern = Buffer.from(`slice ${index} of the bench;`)
  bytes.fill(pattern)
  return bytes
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-merge-many-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const fileId = await uploadSlices(cloud, s3, { count: SLICES, contents })
  const merged = await mergeInProcess(cloud, fileId, { key: 'merged-many', folder })

  let expected = 0
  for (let index = 0; index < SLICES; index++) {
    const bytes = contents(index)
    expected = combineCrc32(expected, crc32(bytes), bytes.length)
  }
  let read = 0
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: cloud.exportsBucket, Key: 'merged-many' }))
  // On Node the SDK's bodies are Readable streams.
  for await (const bytes of Body as AsyncIterable<Uint8Array>) read = crc32(bytes, read)
  if (read !== expected || merged.checksum.value !== formatCrc32(expected))
    throw new Error('The merged object is not its slices one after the other')

  const bound = planParts(sizes.map(bytes => ({ bytes, canCopy: true })))
    .filter(({ kind }) => kind === 'assemble')
    .reduce((sum, { bytes }) => sum + bytes, 0)
  const figures = [
    figure('merge 10,000 slices, 3 GiB', 's', merged.seconds),
    figure(
      'merge 10,000 slices: bytes that passed through (ratio: to the bound)',
      'B',
      merged.bytesRead,
      bound,
    ),
    figure('merge 10,000 slices: peak memory', 'MB', merged.peakMemoryMb),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
