import type { Logger } from '@aws-lambda-powertools/logger'
import { createMeasure } from '../lib/cloud/create-measure.ts'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import type { Environment } from '../lib/env.ts'
import { createS3With } from '../lib/storage-client/s3-with-credentials.ts'
import type { ReadableFile } from '../lib/storage-client/storage-client.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import { mergeSlices } from './merge-slices.ts'
import { S3_REQUEST_HANDLER } from './services.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NONE`. */
  'FILES_BUCKET',
  /** Bucket of exports, and below `WORK_PREFIX` of the data that the steps pass to each other. */
  'EXPORTS_BUCKET',
] as const
export type MergeSlicesEnv = (typeof variables)[number]

export const open = (env: Environment<MergeSlicesEnv>) => {
  const service = openStorage(env)
  const s3 = createS3Client(env, { requestHandler: S3_REQUEST_HANDLER })
  const s3With = createS3With(env)
  const s3ForFile = ({ region, credentials }: ReadableFile) =>
    s3With(region, credentials, { requestHandler: S3_REQUEST_HANDLER })

  const measure = createMeasure('exports')

  return async (event: StepEvent, log: Logger) => {
    const storage = await service.client(event)
    const { FILES_BUCKET: filesBucket, EXPORTS_BUCKET: workBucket } = env
    const answer = await mergeSlices({ s3, storage, filesBucket, workBucket, s3ForFile, log }, event)
    if (answer?.next === 'done') measure({ ExportsWritten: 1 })
    if (answer?.next === 'failed') measure({ ExportsFailed: 1 })
    return answer
  }
}
