import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { findBucket, findBucketToChange } from '../buckets/find-bucket.ts'
import type { MetadataOwner } from './metadata-owner.ts'

export const bucketMetadata: MetadataOwner<{ bucketId: string }, BucketRecord> = {
  path: '/v2/storage/buckets/{bucketId}/metadata',
  kind: 'bucket',
  hasProvider: true,
  find: ({ params }, services) => findBucket(services, params.bucketId),
  findToChange: ({ params }, services) => findBucketToChange(services, params.bucketId),
  subject: metadataSubject.bucket,
  setEvent: ({ id, name }, params) => auditEvent('bucketMetadataSet', { id, name, params }),
  deletedEvent: ({ id, name }, facts) => auditEvent('bucketMetadataDeleted', { id, name, ...facts }),
}
