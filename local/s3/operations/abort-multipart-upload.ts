import { onObject } from '../auth/access.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { readUploadId } from './request-arguments.ts'

export const abortMultipartUpload: Operation = {
  name: 'AbortMultipartUpload',
  query: ['uploadId'],
  access: onObject('s3:AbortMultipartUpload'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    await store.commit([], () => {
      const upload = store.uploads.get(bucketOf(request), keyOf(request), readUploadId(request))
      store.parts.remove(upload.holder)
      store.uploads.remove(upload.id)
    })
    return { status: 204 }
  },
}
