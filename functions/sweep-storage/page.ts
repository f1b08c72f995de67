import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageStores } from '../lib/storage/storage-stores.ts'

/** How much one page takes at most. */
export interface PageSizes {
  /** Records of files. */
  files: number
  /** Keys of objects, which a page holds in memory: some hundred bytes each. */
  keys: number
  buckets: number
}

/** A page of keys of tables reads the names of all tables once, so it is large. */
export const pageSizes: PageSizes = { files: 1_000, keys: 100_000, buckets: 50 }

/** Everything that a sweep needs. */
export interface SweepServices
  extends Pick<StorageStores, 'branches' | 'inBranch' | 'ownTables' | 'snapshots' | 'jobs' | 'sweeps'> {
  s3: S3Client
  filesBucket: string
  tablesBucket: string
  pageSizes: PageSizes
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}

/** What one page of a sweep came to. */
interface SweptPage {
  /** Things removed. */
  swept: number
  /** Where the next page begins. Left out when this was the last one. */
  next?: string | undefined
}

/** Sweeps one page. `after` is `next` of the page before, maybe of an earlier invocation. Left out: from the start. */
export type SweepPage = (services: SweepServices, after?: string) => Promise<SweptPage>
