import type { S3Client } from '@aws-sdk/client-s3'
import { type AskedWait, executionOfJob } from '../lib/asked-wait.ts'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { componentConfig } from '../lib/extractor/config/component-config.ts'
import type { SecretReader } from '../lib/storage/secrets/create-opener.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { FileCredentials } from '../lib/storage-client/wire.ts'
import type { ConfigurationLeases } from './configuration-lease.ts'
import type { Run, RunStorage, RunStore, StoredRun } from './run.ts'
import type { RunTokens, TokenSeal } from './run-tokens.ts'

export interface RunLog {
  info(message: string, extra: Record<string, unknown>): void
  warn(message: string, extra: Record<string, unknown>): void
  error(message: string, extra: Record<string, unknown>): void
}

/** How a run ended, for whoever watches: one figure each. */
export type CountRun = (run: {
  componentId: string
  configId: string
  isSuccess: boolean
  rowsLoaded: number
  seconds: number
  requests: number
  retries: number
  logins: number
}) => void

export interface RunServices {
  /** With the stack's own token: finds the configuration, begins and ends the job, and tells of a run that never began. */
  stackStorage: Pick<RunStorage, 'configuration' | 'postEvent' | 'noteState'>
  /** With the token of the run: it may do what the run's author may. */
  storage: RunStorage
  work: BucketDocuments
  runs: RunStore
  seal: TokenSeal
  leases: ConfigurationLeases
  s3With: (region: string, credentials: FileCredentials) => S3Client
  openSecrets: (value: unknown, reader: Omit<SecretReader, 'projectId'>) => Promise<unknown>
  /** Folder that survives from one leg to the next as long as the container does. */
  scratchFolder: string
  legSeconds: number
  /** Milliseconds since 1970: no leg works longer, so that what it has is kept. */
  legDeadline: number
  /** Aborted when the execution was stopped: nobody waits for what a leg reads then. */
  stopped: AbortSignal
  allowedHosts: readonly string[]
  count: CountRun
  now: () => Date
  log: RunLog
}

/** What the machine works with before it is a run's. */
export interface MachineServices extends Omit<RunServices, 'storage' | 'stopped'> {
  /** Whether an execution is under way. */
  isRunning: (execution: string) => Promise<boolean>
  storageWith: (token: string) => RunStorage
  runTokens: RunTokens
}

export interface StepResult extends Partial<AskedWait> {
  run: Run
}

/** Writes the run in the middle of a step. Throws `DocumentMoved` when another attempt of the step was first. */
export type Commit = (run: Run) => Promise<StoredRun>

/** The step once more, when one of these jobs has ended, or after a while. */
export const waitFor = (jobIds: readonly number[], run: Run, now: Date): StepResult => ({
  run,
  waitSeconds: waitSecondsAt((now.getTime() - Date.parse(run.phaseStartedAt)) / 1000),
  waitsFor: jobIds.map(executionOfJob),
})

/** What a row works with. Its secrets are open only in `opened`, and only in memory. */
export const openRow = async (run: Run, { runs, openSecrets }: Pick<RunServices, 'runs' | 'openSecrets'>) => {
  const { configuration, state, imageParameters, adoptedSecrets } = await runs.snapshotOfRow(run)
  const sealed = componentConfig(configuration, imageParameters)
  const { componentId, configId } = run
  const reader = { componentId, configId, adoptedSecrets }
  const opened = (await openSecrets(sealed, reader)) as Record<string, unknown> // maps objects to objects
  return { configuration, state, sealed, reader, opened }
}
