import type { S3Client } from '@aws-sdk/client-s3'
import type { ExportDocuments } from '../../lib/distributed/export-documents.ts'
import type { LoadDocuments } from '../../lib/distributed/load-documents.ts'
import type { MergeEngine } from '../../lib/distributed/merge-engine.ts'
import type { StartJob } from '../../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../../lib/storage/storage-stores.ts'
import type { MergeForks } from '../../lib/storage/tables/content/merge-fork.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'

/** Everything that the work of a job needs. Made once per container. */
export interface RunJobServices extends StorageStores {
  projectId: number
  /** What clients take the tables for. */
  backend: string
  /** Numbers with more digits than their column holds are rounded. Otherwise they are refused. */
  roundsNumbers: boolean
  s3: S3Client
  filesBucket: string
  tableEngine: () => Promise<TableEngine>
  startJob: StartJob
  distribution: Distribution
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

/** What a job did, as it is counted: imports, exports and all others by their operation. */
interface CountedJob {
  operation: string
  isSuccess: boolean
  rows: number
  /** What it read and wrote; 0 when it failed. */
  bytes: number
  seconds: number
  /** From its request to its start. */
  waitSeconds: number
}

export type CountJob = (job: CountedJob) => void

/** How loads and exports are done that outgrow one function. */
export interface Distribution {
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
  /**
   * One function merges so many staged bytes by their primary key, into a table of five times as many, and sorts a fourth of
   * them for an export.
   */
  singleMergeBytes: number
  documents: LoadDocuments
  /** What merges more. Undefined: nothing does, and such loads are refused. */
  merges?: LargeMerges | undefined
  /** An export that reads more bytes of its table outgrows one function. */
  singleExportBytes: number
  /** Bytes of the table that one function exports of a larger one. */
  exportPartBytes: number
  exports: ExportDocuments
}

export interface LargeMerges {
  forks: MergeForks
  engine: () => Promise<MergeEngine>
  /** Path of what the engine runs. */
  script: string
}
