import type { Logger } from '@aws-lambda-powertools/logger'
import type { Context } from 'aws-lambda'
import { z } from 'zod'
import { createBucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { createIsRunning } from '../lib/cloud/machines.ts'
import { readSecret } from '../lib/cloud/read-secret.ts'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import { describeExecution, openMachines } from '../lib/cloud/step-functions.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import type { Environment } from '../lib/env.ts'
import { createOpener, refuseSealed } from '../lib/storage/secrets/create-opener.ts'
import { createS3With } from '../lib/storage-client/s3-with-credentials.ts'
import { createStorageClient } from '../lib/storage-client/storage-client.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import { fetchPreviousToken } from '../lib/storage-client/storage-token.ts'
import { createTokenClient } from '../lib/storage-client/token-client.ts'
import { advanceRun } from './advance-run.ts'
import { createConfigurationLeases } from './configuration-lease.ts'
import { createCountRun } from './end-run.ts'
import { runIdOf, toRunEvent } from './event.ts'
import { removeOtherRuns } from './leg-folder.ts'
import { NO_KEY_OF_OURS } from './names.ts'
import { createRunStorage, createRunStore } from './run.ts'
import { isOfJob, runAsJob } from './run-as-job.ts'
import { createRunTokens, createTokenSeal } from './run-tokens.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** Bucket for what a run has to remember between its steps. */
  'WORK_BUCKET',
  /** Secrets of configurations are sealed for this project. */
  'PROJECT_ID',
  /** KMS key that opens them; `NO_KEY_OF_OURS` where another service holds it. */
  'SECRETS_KEY_ARN',
  /** Seconds after which a leg stops at the next page. */
  'LEG_SECONDS',
  /** JSON array of hosts that are reached although they are not on the public internet. */
  'ALLOWED_HOSTS',
] as const
export type RunExtractorEnv = (typeof variables)[number]

/** For what comes after the extraction itself: a checkpoint or tables go to S3, at 50 MB/s and more. */
const RESERVE_MS = 180_000

export const open = (env: Environment<RunExtractorEnv>, { scratchFolder }: { scratchFolder: string }) => {
  const service = openStorage(env)
  const legSeconds = z.coerce.number().positive().parse(env.LEG_SECONDS)
  const allowedHosts = z.array(z.string()).parse(JSON.parse(env.ALLOWED_HOSTS))
  const projectId = z.coerce.number().int().parse(env.PROJECT_ID)
  const now = () => new Date()
  const work = createBucketDocuments(createS3Client(env), env.WORK_BUCKET)
  const openSecrets =
    env.SECRETS_KEY_ARN === NO_KEY_OF_OURS ? refuseSealed : createOpener({ keyArn: env.SECRETS_KEY_ARN })
  const isRunning = createIsRunning(openMachines({ describe: describeExecution }))
  const count = createCountRun()

  // A hosted service keeps no runs of ours.
  const areRunsJobs = env.SECRETS_KEY_ARN !== NO_KEY_OF_OURS

  return async (step: StepEvent, context: Context & { logger: Logger }) => {
    const connection = await service.connection()
    if (areRunsJobs && !isOfJob(step)) {
      const storageOf = (branchId: number | undefined) => createStorageClient({ ...connection, branchId })
      return runAsJob(step, { storageOf, now, log: context.logger })
    }
    const event = toRunEvent(step)
    const runId = runIdOf(event.execution)
    await removeOtherRuns(scratchFolder, runId)
    const seal = createTokenSeal(connection.token, () =>
      fetchPreviousToken(env.STORAGE_TOKEN_SECRET_ARN, readSecret),
    )
    const { branchId } = event.input
    const { baseUrl } = connection
    const ofRun = { ...connection, branchId, runId }
    const storageWith = (token: string) => createRunStorage({ baseUrl, branchId, token, runId })
    return advanceRun(event, {
      stackStorage: areRunsJobs ? createRunStorage(ofRun) : createStorageClient(ofRun),
      storageWith,
      runTokens: createRunTokens({ work, tokens: createTokenClient({ ...connection, branchId }), seal, now }),
      work,
      runs: createRunStore(work),
      seal,
      isRunning,
      leases: createConfigurationLeases({ work, isRunning, now }),
      s3With: createS3With(env),
      openSecrets: (value, reader) => openSecrets(value, { ...reader, projectId }),
      scratchFolder,
      legSeconds,
      legDeadline: Date.now() + context.getRemainingTimeInMillis() - RESERVE_MS,
      allowedHosts,
      count,
      now,
      log: context.logger,
    })
  }
}
