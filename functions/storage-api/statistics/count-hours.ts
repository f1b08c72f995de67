import type { JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { RunExecution } from '../../lib/storage/runs/run-execution.ts'
import { runStatus } from '../runs/run-resource.ts'

const HOUR_MS = 3_600_000

/** What began within an hour, by what has become of it. */
interface Hour {
  /** ISO 8601. */
  start: string
  waiting: number
  processing: number
  success: number
  error: number
  imports: number
  exports: number
  runs: number
  others: number
  /** By imports that are done. */
  rowsLoaded: number
  bytesRead: number
}

/** The last `count` hours before `now`, the current one last, and who counts into them. */
export const createHours = (now: Date, count: number) => {
  const first = Math.floor(now.getTime() / HOUR_MS) - count + 1
  const hours = Array.from({ length: count }, (_, index): Hour => {
    const start = new Date((first + index) * HOUR_MS).toISOString()
    return { start, ...nothing }
  })
  const at = (time: string | Date): Hour | undefined =>
    hours[Math.floor(new Date(time).getTime() / HOUR_MS) - first]

  return {
    hours,
    from: new Date(first * HOUR_MS),
    addJob: (job: JobRecord): void => {
      const hour = at(job.createdTime)
      if (hour === undefined) return
      hour[job.status]++
      hour[kindOf(job.input.operationName)]++
      if (job.status !== 'success') return
      hour.bytesRead += job.metrics.inBytes
      hour.rowsLoaded += rowsLoadedBy(job)
    },
    addRun: ({ status, startDate }: Pick<RunExecution, 'status' | 'startDate'>): void => {
      const hour = at(startDate)
      if (hour === undefined) return
      hour[runStatus[status]]++
      hour.runs++
    },
  }
}

/** An import says how many rows it brought, and a new table how many it has. */
const rowsLoadedBy = ({ input, results }: JobRecord & { status: 'success' }): number => {
  const rows = results?.[input.operationName === 'tableCreate' ? 'rowsCount' : 'importedRowsCount']
  return typeof rows === 'number' ? rows : 0
}

const nothing = {
  waiting: 0,
  processing: 0,
  success: 0,
  error: 0,
  imports: 0,
  exports: 0,
  runs: 0,
  others: 0,
  rowsLoaded: 0,
  bytesRead: 0,
}

const kindOf = (
  operation: JobRecord['input']['operationName'],
): 'imports' | 'exports' | 'runs' | 'others' => {
  if (operation === 'tableImport' || operation === 'tableCreate') return 'imports'
  if (operation === 'tableExport') return 'exports'
  return operation === 'configurationRun' ? 'runs' : 'others'
}
