import type { BucketRecord } from '../buckets/bucket-store.ts'
import { type MetadataStore, metadataSubject } from '../metadata/metadata-store.ts'

/** Clients without branches for tables keep those of a branch in the default branch, in buckets that name it so. */
export const markedBranch = async (
  bucket: BucketRecord,
  { metadata }: { metadata: MetadataStore },
): Promise<string | undefined> =>
  (await metadata.list(metadataSubject.bucket(bucket))).find(
    ({ key, provider }) => key === 'KBC.createdBy.branch.id' && provider === 'system',
  )?.value
