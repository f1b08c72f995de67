import { executionName } from '../lib/cloud/execution-name.ts'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import { pollJobEvent, pollOf } from './poll-job.ts'

const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
] as const
/** The variables that the function's construct must set. */
export type PollJobEnv = (typeof variables)[number]

/** Reads a job once and returns whether, and how long, to wait. Step Functions does the waiting. */
export const handler = lambdaHandler({
  service: 'poll-job',
  event: pollJobEvent,
  keys: ({ jobId, execution }) => ({
    jobId,
    ...(execution !== undefined && { correlationId: executionName(execution) }),
  }),
  open: async () => {
    const service = openStorage(readEnv(variables, process.env))
    return async ({ jobId, since }) => {
      const storage = await service.client()
      return pollOf(await storage.job(jobId), (Date.now() - since.getTime()) / 1000)
    }
  },
})
