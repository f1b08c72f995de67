import { onBucket } from '../auth/access.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'

export const deleteBucket: Operation = {
  name: 'DeleteBucket',
  access: onBucket('s3:DeleteBucket'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    await store.commit([], () => {
      store.buckets.remove(bucketOf(request))
      // Uploads that are open do not keep a bucket; they go with it.
      for (const { id, holder } of store.uploads.ofBucket(bucketOf(request))) {
        store.parts.remove(holder)
        store.uploads.remove(id)
      }
    })
    return { status: 204 }
  },
}
