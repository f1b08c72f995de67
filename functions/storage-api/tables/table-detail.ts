import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import { metadataOf, tableMetadata } from '../metadata/metadata-resource.ts'
import type { Services } from '../services.ts'

/** The complete table as its detail shows it: with its metadata, and with its bucket and that one's metadata. */
export const tableDetail = async (services: Services, table: TableHead, baseUrl: string) => {
  const bucket = await findBucket(services, table.bucketId)
  const siblings = await services.tables.listInBucket(table.bucketId)
  const resource = tableResource(table, bucket, siblings, { ...services, baseUrl })
  return {
    ...resource,
    ...(await tableMetadata(services, table)),
    bucket: { ...resource.bucket, metadata: await metadataOf(services, metadataSubject.bucket(bucket)) },
  }
}
