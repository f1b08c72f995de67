import type { S3Client } from '@aws-sdk/client-s3'
import type { StartJob } from '../../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../../lib/storage/storage-stores.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'
import type { CountJob } from './count-jobs.ts'
import type { Distribution } from './distribution.ts'
import type { ExtractRuns } from './extract-runs.ts'

/** Everything that the work of a job needs. Made once per container. */
export interface RunJobServices extends StorageStores {
  projectId: number
  s3: S3Client
  filesBucket: string
  tableEngine: () => Promise<TableEngine>
  startJob: StartJob
  distribution: Distribution
  extractRuns: ExtractRuns
  /** Counts a job that has ended. */
  count: CountJob
  now: () => Date
  log: {
    /** Facts that all further lines of the invocation carry. */
    appendKeys(facts: { correlationId: string }): void
    info(message: string, extra: Record<string, unknown>): void
    warn(message: string, extra: Record<string, unknown>): void
    error(message: string, extra: Record<string, unknown>): void
  }
}
