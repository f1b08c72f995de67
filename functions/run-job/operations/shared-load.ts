import pMap from 'p-map'
import { z } from 'zod'
import { hexDigest } from '../../lib/digests.ts'
import {
  isFinal,
  type JobRecord,
  jobError,
  jobMetrics,
  jobResults,
} from '../../lib/storage/jobs/job-record.ts'
import { logJobEnd } from '../job/log-job.ts'
import type { RunJobServices } from '../job/services.ts'

/** What one load did for the jobs that it took along, beside the one that did it. */
const sharedLoad = z.object({
  /** When it began (ISO 8601). */
  startTime: z.string(),
  others: z.array(
    z.union([
      z.object({ jobId: z.number(), results: jobResults, metrics: jobMetrics }),
      z.object({ jobId: z.number(), failure: z.object({ error: jobError, results: jobResults }) }),
    ]),
  ),
})

export type SharedLoad = z.infer<typeof sharedLoad>

/** Writes it below the prefix of the load, under the name of its content. Resolves to its key. */
export const writeSharedLoad = async (
  prefix: string,
  shared: SharedLoad,
  { tableContents: { objects } }: RunJobServices,
): Promise<string> => {
  const content = Buffer.from(JSON.stringify(shared))
  const key = `${prefix}together-${hexDigest(content, 32)}.json`
  await objects.write([{ location: objects.locationOf(key), content }])
  return key
}

const ENDS_AT_ONCE = 8

/** Ends the jobs that a load took along, each with its own result. Those that have ended are passed over. */
export const endTogether = async (key: string, services: RunJobServices): Promise<number[]> => {
  const { jobs, now, tableContents } = services
  const { objects } = tableContents
  const text = Buffer.from(await objects.read(objects.locationOf(key))).toString('utf8')
  const { startTime, others } = sharedLoad.parse(JSON.parse(text))
  const ids = others.map(({ jobId }) => jobId)
  const found = await jobs.getMany(ids)
  const byId = new Map(others.map(other => [other.jobId, other]))
  const end = async (job: JobRecord): Promise<void> => {
    const other = byId.get(job.id)
    if (!other || isFinal(job)) return
    const done = 'failure' in other ? other.failure : { startTime, outcome: other }
    const ended = await jobs.endAlong(job, now(), done)
    if (isFinal(ended)) logJobEnd(ended, services)
  }
  await pMap(found, end, { concurrency: ENDS_AT_ONCE })
  return ids
}
