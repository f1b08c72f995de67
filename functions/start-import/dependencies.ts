import type { S3Client } from '@aws-sdk/client-s3'
import type { AcceptedLoads } from '../lib/distributed/load-limits.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import type { ImportRecords } from './key-records.ts'
import type { LandingRule } from './landing-rules.ts'
import type { Transfer } from './transfer.ts'

/** The component under which events of imports are listed. */
export const COMPONENT = 'millrace-import'

export interface StartImportDependencies {
  /** Reads the landing bucket. */
  s3: S3Client
  /** Brings the bytes of the object into the prepared file. */
  transfer: Transfer
  storage: StorageClient
  /** Larger objects are refused before they are moved. `undefined`: the service knows its own limits. */
  acceptedLoads: AcceptedLoads | undefined
  /** Whether the service creates a table or loads into it by one job: `IF_EXISTS_FEATURE`. */
  hasIfExists: (storage: Pick<StorageClient, 'knows'>) => Promise<boolean>
  records: ImportRecords
  rules: readonly LandingRule[]
  now: () => Date
  log: {
    info(message: string, extra: Record<string, unknown>): void
    warn(message: string, extra: Record<string, unknown>): void
  }
}
