import { adoptMerge } from './adopt-merge.ts'
import { checkMerge } from './check-merge.ts'
import type { MergeByQueryEvent } from './event.ts'
import type { MergeServices } from './services.ts'
import { startMerge } from './start-merge.ts'

/** One step of a merge by Athena. Each may be repeated at any time. `done`: the job's next run finds its work done. */
export const mergeByQuery = async (event: MergeByQueryEvent, services: MergeServices) => {
  switch (event.step) {
    case 'start':
      return startMerge(event.jobId, services)
    case 'check':
      return checkMerge(event, services)
    case 'adopt':
      return adoptMerge(event, services)
  }
}
