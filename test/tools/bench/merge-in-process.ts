import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { build } from 'esbuild'
import pMap from 'p-map'
import { z } from 'zod'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import type { StartedCloud } from './start-cloud.ts'

const Merged = z.object({
  bytes: z.number(),
  checksum: z.object({ value: z.string() }),
  parts: z.object({ copied: z.number(), assembled: z.number() }),
  bytesThroughFunctions: z.number(),
  seconds: z.number(),
  bytesRead: z.number(),
  peakMemoryMb: z.number(),
})
export type Merged = z.infer<typeof Merged>

/** The steps as deployed: in one minified file. As hundreds of modules they would take 60 MB more. */
const bundleSteps = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'run-merge.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'run-merge.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  return outfile
}

/** Runs `run-merge.ts` for one file. */
export const mergeInProcess = async (
  cloud: StartedCloud,
  fileId: number,
  { key, folder }: { key: string; folder: string },
): Promise<Merged> => {
  // With the flags of the deployed function (infra/export-flow.ts).
  const given = ['--enable-source-maps', '--max-semi-space-size=4', await bundleSteps(folder)]
  const child = spawn(process.execPath, given, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify({ ...cloud, fileId, key }))
  const output = await text(child.stdout)
  return Merged.parse(JSON.parse(output))
}

/** Makes a sliced file; `contents` are read one by one. */
export const uploadSlices = async (
  cloud: StartedCloud,
  s3: S3Client,
  { count, contents }: { count: number; contents: (index: number) => Uint8Array },
): Promise<number> => {
  const storage = createStorageClient({ baseUrl: cloud.api, token: cloud.token })
  const file = await storage.prepareFile({ name: 'slices.csv', sizeBytes: 0, tags: [], isSliced: true })
  const { bucket, key } = file.uploadParams
  const names = Array.from({ length: count }, (_, index) => `${key}_${String(index).padStart(6, '0')}`)
  await pMap(
    names,
    (Key, index) => s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: contents(index) })),
    { concurrency: 8 },
  )
  const entries = names.map(name => ({ url: `s3://${bucket}/${name}` }))
  const Body = JSON.stringify({ entries })
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}manifest`, Body }))
  return file.id
}
