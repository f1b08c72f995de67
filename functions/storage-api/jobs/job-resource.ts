import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type JobMetrics, type JobRecord, noMetrics } from '../../lib/storage/jobs/job-record.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'

/** The job on the wire. `url` is the address to poll. */
export const jobResource = (job: JobRecord, baseUrl: string) => ({
  id: job.id,
  status: job.status,
  url: `${baseUrl}/v2/storage/jobs/${job.id}`,
  tableId: job.tableId,
  operationName: job.input.operationName,
  operationParams: { ...job.operationParams, ...ofBranch(branchOf(job)) },
  createdTime: wireDate(job.createdTime),
  startTime: wireDateOrNull(job.status === 'waiting' ? null : job.startTime),
  endTime: wireDateOrNull('endTime' in job ? job.endTime : null),
  runId: job.runId,
  ...(job.warnings && { warnings: job.warnings }),
  ...(job.status === 'processing' &&
    job.progress && { progress: { ...job.progress, at: wireDate(job.progress.at) } }),
  results: 'results' in job ? job.results : null,
  creatorToken: job.creatorToken,
  metrics: job.status === 'success' ? shownMetrics(job.metrics) : noMetrics,
  ...(job.status === 'error' && { error: { ...job.error, uuid: job.error.exceptionId } }),
})

/** As in the hosted service, `outBytes` are the bytes of compressed files. */
const shownMetrics = (metrics: JobMetrics): JobMetrics =>
  metrics.outCompressed ? metrics : { ...metrics, outBytes: 0 }
