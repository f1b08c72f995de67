import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { type Export, mergeSlices } from '#functions/merge-slices/merge-slices.ts'
import type { MergeSlicesServices } from '#functions/merge-slices/services.ts'
import { S3_REQUEST_HANDLER } from '#functions/merge-slices/services.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { driveHere } from '#support/drive-here.ts'

/**
 * The steps of one merge in a process of their own, as one function would do them one after the other. Reads the cloud,
 * the file and the destination as JSON from standard input; prints what they made, the time they took, the bytes that
 * they read from S3 and the most memory that they held.
 */
const settings = z
  .object({
    api: z.string(),
    s3: z.string(),
    region: z.string(),
    token: z.string(),
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    filesBucket: z.string(),
    exportsBucket: z.string(),
    fileId: z.number(),
    key: z.string(),
  })
  .parse(JSON.parse(await text(process.stdin)))

const { region, accessKeyId, secretAccessKey, filesBucket, exportsBucket, fileId, key } = settings
const s3 = new S3Client({
  endpoint: settings.s3,
  region,
  credentials: { accessKeyId, secretAccessKey },
  forcePathStyle: true,
  requestHandler: S3_REQUEST_HANDLER,
})
let bytesRead = 0
s3.middlewareStack.add(
  (next, { commandName }) =>
    async args => {
      const result = await next(args)
      const output = result.output as { ContentLength?: number } // Only GetObject is looked at.
      const input = args.input as { Bucket?: string }
      if (commandName === 'GetObjectCommand' && input.Bucket === filesBucket)
        bytesRead += output.ContentLength ?? 0
      return result
    },
  { step: 'initialize' },
)
const services: MergeSlicesServices = {
  s3,
  storage: createStorageClient({ baseUrl: settings.api, token: settings.token }),
  filesBucket,
  workBucket: exportsBucket,
  s3ForFile: () => s3,
  log: console,
}
const execution = `bench-${process.pid}`
const input = { fileId, destination: { bucket: exportsBucket, key } }

const start = performance.now()
const made = (await driveHere({ input, execution, step: event => mergeSlices(services, event) })) as Export
const seconds = (performance.now() - start) / 1000
const peakMemoryMb = Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+) kB/)?.[1]) / 1024
console.log(JSON.stringify({ ...made, seconds, bytesRead, peakMemoryMb }))
s3.destroy()
