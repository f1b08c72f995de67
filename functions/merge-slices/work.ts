import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { storageClientFrom } from '../lib/storage-client/storage-client-from.ts'
import { mergeSlicesEnvNames } from './env-names.ts'
import type { MergeSlicesEvent } from './event.ts'
import { mergeSlices } from './merge-slices.ts'
import { S3_REQUEST_HANDLER, s3ForFile } from './s3-clients.ts'

const env = readEnv(mergeSlicesEnvNames)
const s3 = createS3Client({ requestHandler: S3_REQUEST_HANDLER })

export const run = async (event: MergeSlicesEvent) =>
  mergeSlices(
    {
      s3,
      storage: await storageClientFrom(env),
      filesBucket: env.FILES_BUCKET,
      workBucket: env.WORK_BUCKET,
      s3ForFile,
    },
    event,
  )
