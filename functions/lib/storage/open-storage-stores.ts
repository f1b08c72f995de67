import type { S3Client } from '@aws-sdk/client-s3'
import { openItemTable } from '../cloud/open-items.ts'
import { createStorageStores, type StorageStores } from './storage-stores.ts'

/** The stores of the service, from the function's environment. Opened once per container. */
export const openStorageStores = (
  env: {
    STORAGE_TABLE: string
    TABLES_BUCKET: string
    SNAPSHOT_RETENTION_DAYS?: string
  },
  s3: S3Client,
  now: () => Date,
): StorageStores =>
  createStorageStores({
    items: openItemTable(env.STORAGE_TABLE),
    s3,
    tablesBucket: env.TABLES_BUCKET,
    // Only functions that let snapshots expire are told.
    ...(env.SNAPSHOT_RETENTION_DAYS !== undefined && {
      snapshotRetentionDays: Number(env.SNAPSHOT_RETENTION_DAYS),
    }),
    now,
  })
