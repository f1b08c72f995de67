import type { S3Client } from '@aws-sdk/client-s3'
import type { AskedWait } from '../lib/asked-wait.ts'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import type { SecretReader } from '../lib/storage/secrets/create-opener.ts'
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
