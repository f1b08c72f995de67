import type { S3Client } from '@aws-sdk/client-s3'
import { createBranchStore } from './branch-store.ts'
import { createBucketStore } from './bucket-store.ts'
import { createConfigurationStore } from './configuration-store.ts'
import { createDocumentFiles } from './document-files.ts'
import { createEventStore } from './event-store.ts'
import { createExportCache } from './export-cache.ts'
import { createFileStore } from './file-store.ts'
import { createIdempotencyStore } from './idempotency-store.ts'
import { createIdSource } from './ids.ts'
import type { ItemTable } from './item-table.ts'
import { createJobStore } from './job-store.ts'
import { createMetadataStore } from './metadata-store.ts'
import { createProjectStore } from './project-store.ts'
import { createSnapshotFiles } from './snapshot-files.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createTableQueue } from './table-queue.ts'
import { createTableStore } from './table-store.ts'
import { createTicketStore } from './ticket-store.ts'
import { createTokenStore } from './token-store.ts'
import { createTriggerStore } from './trigger-store.ts'

export interface StorageStoresOptions {
  items: ItemTable
  s3: S3Client
  tablesBucket: string
  now: () => Date
}

/** All stores of the service over its one table. */
export const createStorageStores = ({ items, s3, tablesBucket, now }: StorageStoresOptions) => ({
  nextId: createIdSource(now),
  buckets: createBucketStore(items),
  tables: createTableStore(items, createSnapshotFiles(s3, tablesBucket)),
  snapshots: createSnapshotStore(items, {
    snapshotFiles: createSnapshotFiles(s3, tablesBucket),
    s3,
    tablesBucket,
  }),
  files: createFileStore(items),
  exports: createExportCache(items, now),
  jobs: createJobStore(items),
  queue: createTableQueue(items),
  idempotency: createIdempotencyStore(items, now),
  project: createProjectStore(items, now),
  tokens: createTokenStore(items),
  branches: createBranchStore(items),
  events: createEventStore(items),
  triggers: createTriggerStore(items),
  tickets: createTicketStore(items),
  metadata: createMetadataStore(items, now),
  configurations: createConfigurationStore(items, createDocumentFiles(s3, tablesBucket)),
})

export type StorageStores = ReturnType<typeof createStorageStores>
