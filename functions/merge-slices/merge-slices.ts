import { abortExport } from './abort-export.ts'
import { completeExport } from './complete-export.ts'
import { convertSlices } from './convert-slices.ts'
import { copyParts } from './copy-parts.ts'
import type { MergeSlicesEvent } from './event.ts'
import { planExport } from './plan-export.ts'
import { reportFailure } from './report-failure.ts'
import { requestExport } from './request-export.ts'
import type { MergeSlicesServices } from './services.ts'
import { createWorkPlace } from './work-place.ts'

/** Does one step of the export machine. */
export const mergeSlices = (services: MergeSlicesServices, event: MergeSlicesEvent): Promise<unknown> => {
  const work = createWorkPlace(services.s3, services.workBucket, event.execution)
  switch (event.step) {
    case 'request':
      return requestExport(services, event, work)
    case 'plan':
      return planExport(services, event, work)
    case 'convert':
      return convertSlices(services, event, work)
    case 'copy':
      return copyParts(services, event, work)
    case 'complete':
      return completeExport(work)
    case 'abort':
      return abortExport(work, event.failure).then(async aborted => {
        // A job that failed has an event of its own.
        if (event.failure?.JobId === undefined)
          await reportFailure(services, { ...event, failure: aborted.failure })
        return aborted
      })
  }
}
