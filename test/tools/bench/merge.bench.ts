import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { figure, median } from './figure.ts'
import { mergeInProcess, uploadSlices } from './merge-in-process.ts'
import { type StartedCloud, startCloud } from './start-cloud.ts'

/** 64 slices of 16 MiB made one object: by the merger's steps, against reading them and uploading the result again. */
const SLICES = 64
const SLICE_BYTES = 16 * 1024 ** 2
const ROUNDS = 3

const readAndUpload = async (cloud: StartedCloud, s3: S3Client, fileId: number): Promise<number> => {
  const start = performance.now()
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: cloud.filesBucket }))
  const keys = Contents.map(({ Key = '' }) => Key).filter(
    key => key.includes(`${fileId}.`) && /_\d+$/.test(key),
  )
  const all = async function* () {
    for (const Key of keys) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: cloud.filesBucket, Key }))
      yield* Body as AsyncIterable<Uint8Array> // On Node the SDK's bodies are Readable streams.
    }
  }
  await new Upload({
    client: s3,
    params: { Bucket: cloud.exportsBucket, Key: 'uploaded', Body: Readable.from(all()) },
    partSize: SLICE_BYTES,
    queueSize: 4,
  }).done()
  return (performance.now() - start) / 1000
}

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-merge-'))
let cloud: StartedCloud | undefined
let s3: S3Client | undefined
try {
  cloud = await startCloud(join(folder, 'data'))
  s3 = new S3Client({ endpoint: cloud.s3, region: cloud.region, credentials: cloud, forcePathStyle: true })
  const fileId = await uploadSlices(cloud, s3, { count: SLICES, contents: () => randomBytes(SLICE_BYTES) })
  const merged = []
  const uploaded: number[] = []
  // Alternately, so that other load on the machine affects both.
  for (let round = 1; round <= ROUNDS; round++) {
    merged.push(await mergeInProcess(cloud, fileId, { key: `merged${round}`, folder }))
    uploaded.push(await readAndUpload(cloud, s3, fileId))
  }
  const seconds = median(merged.map(({ seconds }) => seconds))
  const figures = [
    figure('merge 64 slices of 16 MiB (ratio: to reading and uploading)', 's', seconds, median(uploaded)),
    figure('merge 64 slices: bytes through functions', 'B', merged[0]?.bytesThroughFunctions ?? Number.NaN),
    figure('merge 64 slices: peak memory', 'MB', Math.max(...merged.map(({ peakMemoryMb }) => peakMemoryMb))),
  ]
  for (const line of figures) console.log(JSON.stringify(line))
} finally {
  s3?.destroy()
  await cloud?.stop()
  await rm(folder, { recursive: true, force: true })
}
