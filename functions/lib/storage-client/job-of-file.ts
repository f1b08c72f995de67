import * as z from 'zod/mini'
import { type Connection, request, requestWithAdvice } from './request.ts'
import { type Job, jobSchema } from './wire.ts'

const JOBS_IN_PAGE = 100

const timed = z.object({ createdTime: z.string() })
const ofFile = z.object({ source: z.object({ fileId: z.coerce.number() }) })

/** See `StorageClient.findJobOfFile`. */
export const findJobOfFile = async (
  connection: Connection & { runId?: string },
  fileId: number,
): Promise<Job | undefined> => {
  const { runId } = connection
  const file = { method: 'GET', path: `files/${fileId}`, runId } as const
  const { created } = await request(connection, file, z.object({ created: z.string() }))
  let next: string | undefined
  for (let read = 0; ; ) {
    const path = `jobs?${next ?? `limit=${JOBS_IN_PAGE}&offset=${read}`}`
    const asked = { method: 'GET', path, runId } as const
    const { result: jobs, ...advice } = await requestWithAdvice(connection, asked, z.array(z.unknown()))
    // Jobs that are not ours may have other shapes.
    const found = jobs
      .map(job => jobSchema.safeParse(job))
      .flatMap(parsed => (parsed.success ? [parsed.data] : []))
      .find(job => fileOfJob(job) === fileId)
    const isOlder = jobs.some(job => Date.parse(createdTimeOf(job)) < Date.parse(created))
    next = advice.next
    if (found || isOlder || (jobs.length < JOBS_IN_PAGE && next === undefined)) return found
    read += jobs.length
  }
}

const createdTimeOf = (job: unknown): string => {
  const parsed = timed.safeParse(job)
  return parsed.success ? parsed.data.createdTime : ''
}

const fileOfJob = (job: Job): number | undefined => {
  const params = ofFile.safeParse(job.operationParams)
  return params.success ? params.data.source.fileId : undefined
}
