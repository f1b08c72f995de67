import { adoptMerge } from './adopt-merge.ts'
import { adoptPacking } from './adopt-packing.ts'
import { checkQuery } from './check-query.ts'
import type { MergeByQueryEvent } from './event.ts'
import type { MergeServices } from './services.ts'
import { startMerge } from './start-merge.ts'
import { startPacking } from './start-packing.ts'

/**
 * One step of a query by Athena, which merges the rows of a load or packs the files of a table: the job has noted which.
 * Each step may be repeated at any time. `done`: the job's next run finds its work done.
 */
export const mergeByQuery = async (event: MergeByQueryEvent, services: MergeServices) => {
  const packed = await services.notes.readPacked(event.jobId)
  switch (event.step) {
    case 'start':
      return packed ? startPacking(packed, services) : startMerge(event.jobId, services)
    case 'check':
      return checkQuery({ ...event, packed }, services)
    case 'adopt':
      return packed ? adoptPacking(packed, event, services) : adoptMerge(event, services)
  }
}
