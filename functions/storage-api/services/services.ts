import type { AcceptedLoads } from '../../lib/distributed/load-limits.ts'
import type { StartJob } from '../../lib/storage/jobs/start-next.ts'
import type { SealSecrets } from '../../lib/storage/secrets/create-sealer.ts'
import type { StorageStores } from '../../lib/storage/storage-stores.ts'
import type { Rights } from '../../lib/storage/tokens/rights.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'
import type { FileAccess } from './file-access.ts'
import type { PreviewExtraction } from './preview-function.ts'
import type { Catalogue } from './read-catalogue.ts'
import type { RedriveExecution } from './redrive-execution.ts'
import type { TableAccess } from './table-access.ts'

/** Who calls: the rights of a valid token. */
export interface Caller extends Rights {
  tokenId: string
  description: string
  /** The token in the stack's own secret. It may do everything. */
  isMaster: boolean
  /** Which id is the master token's. */
  masterId: string
  /** The stored token. `undefined` for the master token. */
  token: TokenRecord | undefined
}

/** The service's own log. Never gets bodies, headers or tokens. */
export interface Log {
  info(message: string, extra: Record<string, unknown>): void
  error(message: string, extra: Record<string, unknown>): void
}

/** How long a request waits for a job. */
export interface JobWait {
  limitMs: number
  /** The pause before the next look at the job, after so long a wait. */
  pauseMs: (waitedMs: number) => number
  sleep: (milliseconds: number) => Promise<void>
}

/** Everything that the routes need. Made once per container; in tests, once per service. */
export interface Services extends StorageStores {
  projectId: number
  /** What clients take the tables for. */
  backend: string
  /** Numbers with more digits than their column holds are rounded. Otherwise they are refused. */
  roundsNumbers: boolean
  region: string
  /** Version of the service, as the index reports it. */
  revision: () => Promise<string>
  now: () => Date
  authenticate: (headers: Headers) => Promise<Caller>
  fileAccess: FileAccess
  /** Files that are larger than these allow are refused before their job is accepted. */
  acceptedLoads: AcceptedLoads
  /** What engines read tables with. */
  tableAccess: TableAccess
  startJob: StartJob
  jobWait: JobWait
  redriveExecution: RedriveExecution
  /** Stops the execution of a run, by its job; one that has ended, or never began, stays as it is. */
  stopRun: (jobId: number, reason: { code: string; message: string }) => Promise<void>
  previewExtraction: PreviewExtraction
  /** Loaded on first use: it is large, and most requests do not need it. */
  tableEngine: () => Promise<TableEngine>
  components: Catalogue
  /** Seals the secrets of a configuration before it is stored. */
  seal: SealSecrets
  log: Log
}
