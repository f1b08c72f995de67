import type { Logger } from '@aws-lambda-powertools/logger'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { storageClientFrom } from '../lib/storage-client/storage-client-from.ts'
import { mergeSlicesEnvNames } from './env-names.ts'
import type { MergeSlicesEvent } from './event.ts'
import { mergeSlices } from './merge-slices.ts'
import { S3_REQUEST_HANDLER, s3ForFile } from './s3-clients.ts'

const env = readEnv(mergeSlicesEnvNames)
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
