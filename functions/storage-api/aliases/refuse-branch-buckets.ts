import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { Services } from '../services.ts'

interface NewAliasPlace {
  branchId: number
  bucket: BucketRecord
  source: TableHead
}

/** Throws 400 `storage.tables.aliasingNotAllowed`: aliases belong to the default branch, as do their sources. */
export const refuseBranchBuckets = async (
  services: Services,
  { branchId, bucket, source }: NewAliasPlace,
): Promise<void> => {
  const sourceBucket = await findBucket(services, source.bucketId)
  if (branchId !== defaultBranchId || (await isOfBranch(bucket, services)))
    throw refused('Creating aliases in Dev/Branch buckets is not supported yet.')
  if (await isOfBranch(sourceBucket, services))
    throw refused('Creating aliases from Dev/Branch tables is not supported yet.')
}

/** Clients mark the buckets of a branch so. */
const isOfBranch = async (bucket: BucketRecord, { metadata }: Pick<Services, 'metadata'>): Promise<boolean> =>
  (await metadata.list(metadataSubject.bucket(bucket))).some(
    ({ key, provider }) => key === 'KBC.createdBy.branch.id' && provider === 'system',
  )

const refused = (message: string): UserError => new UserError('storage.tables.aliasingNotAllowed', message)
