import { onObjectOrVersion } from '../auth/access.ts'
import { readWriteCondition } from '../http/preconditions.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { readVersionId } from './request-arguments.ts'

export const deleteObject: Operation = {
  name: 'DeleteObject',
  query: ['versionId'],
  access: onObjectOrVersion('s3:DeleteObject'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    const condition = readWriteCondition(request.headers)
    const deleted = await store.commit([], () =>
      store.objects.remove(bucketOf(request), keyOf(request), readVersionId(request), condition),
    )
    return {
      status: 204,
      headers: {
        ...(deleted.versionId === undefined ? {} : { 'x-amz-version-id': deleted.versionId }),
        ...(deleted.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {}),
      },
    }
  },
}
