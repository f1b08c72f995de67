import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageStores } from '../lib/storage/storage-stores.ts'

/** Everything that a sweep needs. */
export interface SweepServices
  extends Pick<StorageStores, 'branches' | 'inBranch' | 'ownTables' | 'snapshots' | 'jobs'> {
  s3: S3Client
  filesBucket: string
  tablesBucket: string
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}
