import { accessOf } from '../auth/access.ts'
import { localAccountId } from '../events/object-created.ts'
import { xmlReply } from '../http/reply.ts'
import type { Operation } from '../operation.ts'

/** Lists all buckets in one page. */
export const listBuckets: Operation = {
  name: 'ListBuckets',
  query: ['max-buckets', 'bucket-region', 'prefix', 'continuation-token'],
  access: request => [accessOf(request, 's3:ListAllMyBuckets', '*')],
  run: (request, { store, region }) => {
    const prefix = request.target.query['prefix']?.[0] ?? ''
    const buckets = store.buckets.list().filter(({ name }) => name.startsWith(prefix))
    return xmlReply('ListAllMyBucketsResult', {
      Owner: owner,
      Buckets: {
        Bucket: buckets.map(({ name, created }) => ({
          Name: name,
          CreationDate: new Date(created).toISOString(),
          BucketRegion: region,
        })),
      },
    })
  },
}

/** The owner of everything here. */
export const owner = { ID: localAccountId, DisplayName: 'local' }
