import pMap from 'p-map'
import { z } from 'zod'
import { hexDigest } from '../../lib/digests.ts'
import { isFinal, type JobRecord, jobError, jobResults } from '../../lib/storage/jobs/job-record.ts'
import { tableLoad } from '../../lib/storage/tables/table-record.ts'
import type { RunJobServices } from '../job/services.ts'
import { tellJobEnd } from '../job/tell-job-end.ts'
import { importResults, type LoadedTable, loadMetrics } from './outcome.ts'

/** What one load did for the jobs that it took along, beside the one that did it. */
const sharedLoad = z.object({
  /** When it began (ISO 8601). */
  startTime: z.string(),
  others: z.array(
    z.union([
      z.object({ jobId: z.number(), load: tableLoad }),
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

const readSharedLoad = async (key: string, { tableContents: { objects } }: RunJobServices) =>
  sharedLoad.parse(JSON.parse(Buffer.from(await objects.read(objects.locationOf(key))).toString('utf8')))

/**
 * The table as a job has loaded it; `undefined` when the last load of the table was not for this job.
 *
 * Whoever moved the head may have died before it could end the jobs that it took along. Then they are ended here: each
 * load begins with this, so nothing is loaded over a load of which a job does not know.
 */
export const finishedLoad = async <Table extends LoadedTable>(
  job: JobRecord,
  table: Table,
  services: RunJobServices,
): Promise<Table | undefined> => {
  const { jobId, together } = table.lastLoad
  if (together === undefined) return jobId === job.id ? table : undefined
  // A job that took others along ends after them.
  if (jobId !== job.id && (await services.jobs.get(jobId))?.status === 'success') return undefined
  const shared = await readSharedLoad(together, services)
  await endOthers(
    { ...shared, others: shared.others.filter(other => other.jobId !== job.id) },
    table,
    services,
  )
  if (jobId === job.id) return table
  const own = shared.others.find(other => other.jobId === job.id)
  // One whose file was refused finds out why by itself.
  return own && 'load' in own ? { ...table, lastLoad: own.load } : undefined
}

const ENDS_AT_ONCE = 8

/** Ends the jobs that a load took along, each with its own result. The totals are those after the whole load. */
export const endOthers = async (
  { startTime, others }: SharedLoad,
  table: LoadedTable,
  services: RunJobServices,
): Promise<void> => {
  const { jobs, now } = services
  const found = await jobs.getMany(others.map(({ jobId }) => jobId))
  const byId = new Map(others.map(other => [other.jobId, other]))
  const end = async (job: JobRecord): Promise<void> => {
    const other = byId.get(job.id)
    if (!other || isFinal(job)) return
    const ended =
      'failure' in other
        ? await jobs.failAlong(job, now(), other.failure)
        : await jobs.succeedAlong(job, {
            startTime,
            at: now(),
            outcome: {
              results: importResults({ ...table, lastLoad: other.load }),
              metrics: loadMetrics(other.load),
            },
          })
    if (isFinal(ended)) await tellJobEnd(ended, services)
  }
  await pMap(found, end, { concurrency: ENDS_AT_ONCE })
}
