import type { Logger } from '@aws-lambda-powertools/logger'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import type { Environment } from '../lib/env.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { pageSizes } from './page.ts'
import type { SweepKind } from './sweep-kinds.ts'
import { sweepStorage } from './sweep-storage.ts'

/** Later, no page begins. Each has more than half of the function's 15 minutes to end. */
const PAGES_BEGIN_FOR_MS = 7 * 60_000

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the file resources. */
  'FILES_BUCKET',
  /** Bucket of the table snapshots (Parquet). */
  'TABLES_BUCKET',
  /** Days for which the earlier snapshots of a table stay readable. */
  'SNAPSHOT_RETENTION_DAYS',
] as const
export type SweepStorageEnv = (typeof variables)[number]

export const open = (env: Environment<SweepStorageEnv>) => {
  const now = () => new Date()
  const s3 = createS3Client(env)
  const services = {
    ...openStorageStores(env, s3, now),
    s3,
    filesBucket: env.FILES_BUCKET,
    tablesBucket: env.TABLES_BUCKET,
    pageSizes,
    now,
  }

  return async (kind: SweepKind, log: Logger) => {
    const until = Date.now() + PAGES_BEGIN_FOR_MS
    const result = await sweepStorage(kind, { ...services, log }, () => Date.now() > until)
    const { swept, isWhole } = result
    log.info(isWhole ? 'swept' : 'swept in part: the next sweep continues', { swept, isWhole })
    return result
  }
}
