import type { Logger } from '@aws-lambda-powertools/logger'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import type { ReadableFile } from '../lib/storage-client/storage-client.ts'
import { storageClientFrom } from '../lib/storage-client/storage-client-from.ts'
import type { MergeSlicesEvent } from './event.ts'
import { mergeSlices } from './merge-slices.ts'

/** 32 copies and three assemblies of 8 reads each. S3 may send nothing while it copies a part of 5 GiB. */
export const S3_REQUEST_HANDLER: NonNullable<S3ClientConfig['requestHandler']> = {
  connectionTimeout: 5_000,
  socketTimeout: 120_000,
  httpAgent: { maxSockets: 128, keepAlive: true },
  httpsAgent: { maxSockets: 128, keepAlive: true },
}

/** An S3 client with the temporary credentials of the file, in the file's region. */
const s3ForFile = ({ region, credentials }: ReadableFile): S3Client =>
  createS3Client({
    region,
    credentials: {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
    },
    requestHandler: S3_REQUEST_HANDLER,
  })

const env = readEnv([
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NONE`. */
  'FILES_BUCKET',
  /** Bucket for the data that the steps pass to each other, below `WORK_PREFIX`. */
  'WORK_BUCKET',
])
/** The variables that the function's construct must set. */
export type MergeSlicesEnv = keyof typeof env

const s3 = createS3Client({ requestHandler: S3_REQUEST_HANDLER })

const measure = createMeasure('exports')

export const run = async (event: MergeSlicesEvent, log: Logger) => {
  const storage = await storageClientFrom(env, event)
  const { FILES_BUCKET: filesBucket, WORK_BUCKET: workBucket } = env
  const result = await mergeSlices({ s3, storage, filesBucket, workBucket, s3ForFile, log }, event)
  if (event.step === 'complete') measure({ ExportsWritten: 1 })
  if (event.step === 'abort') measure({ ExportsFailed: 1 })
  return result
}
