import { foreignCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { inBranch, ofBranch } from '../../lib/storage/db/branch-id.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import {
  branchOf,
  isFinal,
  type JobInput,
  type JobRecord,
  type WaitingJob,
} from '../../lib/storage/jobs/job-record.ts'
import { startInTurn } from '../../lib/storage/jobs/start-next.ts'
import { prefersNoWait } from '../../lib/storage-client/prefer-header.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { accepted, ok } from '../http/reply.ts'
import { accessDenied, maySeeJob } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Caller, Services } from '../services/services.ts'
import { awaitJob } from './await-job.ts'
import { jobResource } from './job-resource.ts'

export const routes = routesOf('jobs')

/** One load takes so many small files of a table, in so many seconds. */
const FILES_IN_LOAD = 500
const SECONDS_OF_LOAD = 20
/**
 * The reply with a job. Of an unfinished one it waits for up to about a second, in case it finishes, unless the request
 * says `Prefer: wait=0`. A job that waits behind others says in `Retry-After` when it is worth asking again.
 */
export const jobReply = async (
  job: JobRecord,
  { raw, baseUrl }: Pick<RouteRequest<unknown, unknown, unknown>, 'raw' | 'baseUrl'>,
  services: Pick<Services, 'jobs' | 'jobWait' | 'inBranch'>,
  reply: (body: unknown) => Response,
  isInFront = false,
): Promise<Response> => {
  const { jobs, jobWait } = services
  const current = prefersNoWait(raw.headers) ? job : await awaitJob(job, jobs.get, jobWait)
  const response = reply(jobResource(current, baseUrl))
  const seconds = isInFront ? 0 : await secondsToWait(current, services)
  if (seconds > 0) response.headers.set('Retry-After', String(seconds))
  return response
}

const secondsToWait = async (job: JobRecord, services: Pick<Services, 'inBranch'>): Promise<number> => {
  if (job.status !== 'waiting' || job.queueTableId === null) return 0
  const { queue } = services.inBranch(branchOf(job))
  const before = await queue.estimateBefore(job.queueTableId, job.id)
  return Math.ceil((before / FILES_IN_LOAD) * SECONDS_OF_LOAD)
}

export type Submitter = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'caller' | 'runId' | 'idempotencyKey' | 'sent' | 'baseUrl' | 'branchId' | 'raw' | 'passedOver'
>

export interface NewJob {
  input: JobInput
  /** Jobs with the same queue run one after the other, in the order of acceptance. Default: the table that it changes. */
  queueTableId?: string
  /**
   * Checks what the job needs and returns its `operationParams`, or throws. For a repeated request what it throws does not count, because
   * the world may have changed since the first one.
   */
  admit: () => Promise<Record<string, unknown>>
}

/**
 * Accepts a job, starts it, and answers 202 with its state after up to a second.
 *
 * It is stored with its place in the queue of its table. If anything fails after that, the clock
 * starts it. The same `Idempotency-Key` with the same request finds the same job.
 */
export const submitJob = async (
  submitter: Submitter,
  services: Services,
  newJob: NewJob,
): Promise<Response> => {
  const { job, isInFront } = await acceptJob(submitter, services, newJob)
  return jobReply(job, submitter, services, accepted, isInFront)
}

type AcceptServices = Pick<Services, 'tables' | 'jobs' | 'queue' | 'idempotency' | 'startJob' | 'now' | 'log'>

/** Stores a job in its place; starts it, or leaves that to the job before it. */
export const acceptJob = async (
  submitter: Submitter,
  services: AcceptServices,
  newJob: NewJob,
): Promise<{ job: JobRecord; isInFront: boolean }> => {
  const job = await storeJob(submitter, services, newJob)
  if (job.status !== 'waiting') return { job, isInFront: false }
  // The job is accepted now. If it cannot be started, the clock will start it.
  const isInFront = await startInTurn(job, services).catch(error => {
    services.log.error('job not started', { jobId: job.id, error })
    return false
  })
  return { job, isInFront }
}

const storeJob = async (
  { caller, runId, idempotencyKey, sent, baseUrl, branchId, passedOver }: Submitter,
  services: AcceptServices,
  { input, admit, ...newJob }: NewJob,
): Promise<JobRecord> => {
  const { jobs, now, idempotency } = services
  const tableId = 'tableId' in input ? input.tableId : null
  // An export reads a snapshot, whatever is changed meanwhile.
  const changed = input.operationName === 'tableExport' ? null : tableId
  const meansOne = tableId !== null && !('creates' in input)
  const makerOf = async () => {
    const [operationParams, table] = await Promise.all([
      admit(),
      meansOne ? services.tables.getHead(tableId) : undefined,
    ])
    return (id: number): WaitingJob => ({
      id,
      status: 'waiting',
      input,
      queueTableId: newJob.queueTableId ?? changed,
      tableId,
      operationParams,
      ...(table && { incarnation: table.copyOf ?? table.internalId }),
      ...ofBranch(branchId),
      createdTime: now().toISOString(),
      // Each job belongs to a run: without a name from the client it is one of its own.
      runId: runId ?? String(id),
      creatorToken: { id: caller.tokenId, description: caller.description },
      isByMaster: caller.isMaster,
      baseUrl,
      ...(passedOver.length > 0 && {
        warnings: [`Nobody reads these parameters, and they were passed over: ${passedOver.join(', ')}.`],
      }),
    })
  }
  if (idempotencyKey === undefined) return jobs.accept(await makerOf())

  const request = {
    scope: `${caller.tokenId} ${input.operationName}${inBranch(branchId)}`,
    key: idempotencyKey,
    request: sent,
  }
  try {
    return await jobs.accept(await makerOf(), { request, idempotency })
  } catch (error) {
    // What was right when the first request came may not be any more: then the job of that one is asked for.
    const earlier = await idempotency.findId(request)
    const known = earlier === undefined ? undefined : await jobs.get(earlier)
    if (known) return known
    throw error
  }
}

/** The gateway gives up after 30 s. */
const LONGEST_WAIT_MS = 25_000

/**
 * Does a job within one request, for the older routes without jobs. Answers with the job's results, or fails like the
 * job. If the job takes longer than a request may, the answer is 202, which clients poll.
 */
export const doJob = async (submitter: Submitter, services: Services, newJob: NewJob): Promise<unknown> => {
  const { jobs, jobWait } = services
  const { job: accepting } = await acceptJob(submitter, services, newJob)
  const job = await awaitJob(accepting, jobs.get, {
    ...jobWait,
    limitMs: LONGEST_WAIT_MS,
  })
  if (job.status === 'success') return job.results
  if (job.status !== 'error') return accepted(jobResource(job, submitter.baseUrl))
  const { code, message, contextParams } = job.error
  if (code === 'internalError') throw new Error(`The job ${job.id} was given up`)
  throw new UserError(foreignCode(code), message, { params: contextParams })
}

/** The job in the path. Errors: 404 `storage.jobs.notFound`, 403 `accessDenied` for that of another token. */
export const findJob = async (jobId: string, caller: Caller, { jobs }: Services): Promise<JobRecord> => {
  const job = await storedUnder(jobId, jobs.get)
  if (!job) throw new UserError('storage.jobs.notFound', `Job ${jobId.slice(0, 20)} not found`)
  if (!maySeeJob(caller, job)) throw accessDenied()
  return job
}

/** One job. If it is unfinished, the reply waits for up to about a second, in case it finishes. */
routes.get('/v2/storage/jobs/{jobId}', {
  summary: 'Job detail',
  reply: jobBody,
  replies: { 200: 'The job', 403: 'Another token started it', 404: 'There is no such job' },
  handle: async (request, services) => {
    const { params, caller, baseUrl } = request
    const job = await findJob(params.jobId, caller, services)
    return isFinal(job) ? jobResource(job, baseUrl) : jobReply(job, request, services, ok)
  },
})
