import { noMetrics } from '#lib/storage/jobs/job-record.ts'
import type { RunJob } from '#lib/storage/jobs/job-store.ts'
import { queueOfRuns } from '#lib/storage/jobs/job-store.ts'
import type { StorageStores } from '#lib/storage/storage-stores.ts'

interface GivenRun {
  componentId?: string
  configId: string
  trigger?: string
  createdTime?: string
  /** Default: it has ended well. */
  status?: 'waiting' | 'processing' | 'success' | 'error'
  startTime?: Date
  endTime?: Date
  results?: Record<string, unknown>
  error?: { code: string; message: string }
}

/** Stores a run of a configuration as its job left it. Resolves to its id. */
export const storeRun = async ({ jobs }: Pick<StorageStores, 'jobs'>, given: GivenRun): Promise<number> => {
  const { componentId = 'ex-generic-v2', configId, trigger, status = 'success' } = given
  const { startTime = new Date(), endTime = startTime } = given
  const input = {
    operationName: 'configurationRun' as const,
    componentId,
    configId,
    ...(trigger && { trigger }),
  }
  const accepted = await jobs.accept(id => ({
    id,
    status: 'waiting',
    input,
    queueTableId: queueOfRuns(input),
    tableId: null,
    operationParams: { version: 1 },
    createdTime: given.createdTime ?? startTime.toISOString(),
    runId: null,
    creatorToken: { id: '1', description: 'test' },
    baseUrl: 'http://storage.test',
  }))
  if (accepted.status !== 'waiting' || status === 'waiting') return accepted.id
  const begun = (await jobs.begin(accepted, startTime)) as Extract<RunJob, { status: 'processing' }> // Nobody else holds the lease.
  const { code, message } = given.error ?? { code: 'extractor.http', message: 'It failed.' }
  if (status === 'success')
    await jobs.succeed(begun, {
      at: endTime,
      outcome: { results: given.results ?? null, metrics: noMetrics },
    })
  if (status === 'error')
    await jobs.fail(begun, endTime, { error: { code, message, exceptionId: 'e', contextParams: {} } })
  return accepted.id
}
