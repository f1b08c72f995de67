import type { S3Client } from '@aws-sdk/client-s3'
import type { ReadableFile, StorageClient } from '../lib/storage-client/storage-client.ts'
import { abortExport } from './abort-export.ts'
import { completeExport } from './complete-export.ts'
import { convertSlices } from './convert-slices.ts'
import { copyParts } from './copy-parts.ts'
import type { MergeSlicesEvent } from './event.ts'
import { planExport } from './plan-export.ts'
import { requestExport } from './request-export.ts'
import { createWorkPlace } from './work-place.ts'

export interface MergeSlicesDependencies {
  /** Writes destinations and the work place, and reads the files bucket when it is ours. */
  s3: S3Client
  storage: StorageClient
  /** The bucket whose files `s3` may read. */
  filesBucket: string
  workBucket: string
  /** With the credentials of one file, for files elsewhere. */
  s3ForFile: (file: ReadableFile) => S3Client
}

/** Does one step of the export machine. */
export const mergeSlices = (
  dependencies: MergeSlicesDependencies,
  event: MergeSlicesEvent,
): Promise<unknown> => {
  const work = createWorkPlace(dependencies.s3, dependencies.workBucket, event.execution)
  switch (event.step) {
    case 'request':
      return requestExport(dependencies, event, work)
    case 'plan':
      return planExport(dependencies, event, work)
    case 'convert':
      return convertSlices(dependencies, event, work)
    case 'copy':
      return copyParts(dependencies, event, work)
    case 'complete':
      return completeExport(work)
    case 'abort':
      return abortExport(work)
  }
}
