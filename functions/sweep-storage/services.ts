import type { S3Client } from '@aws-sdk/client-s3'
import type { GlueCatalog } from '../lib/distributed/glue-catalog.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { PageSizes } from './page-sizes.ts'

/** Everything that a sweep needs. */
export interface SweepServices
  extends Pick<StorageStores, 'branches' | 'inBranch' | 'ownTables' | 'snapshots' | 'jobs' | 'sweeps'> {
  s3: S3Client
  /** Where tables are registered that Athena has worked on. Default: none is. */
  catalog?: GlueCatalog | undefined
  filesBucket: string
  tablesBucket: string
  pageSizes: PageSizes
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}
