import { UserError } from '../../lib/errors/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteDefinition } from '../http/route-definition.ts'

type Method = RouteDefinition<string, never, never>['method']

const bucket = '/v2/storage/buckets/{bucketId}'

/** A stack holds one project, so there is none to share a bucket with. */
const refused: readonly [Method, string, string][] = [
  ['post', `${bucket}/share-organization`, 'Share a bucket with the organization'],
  ['post', `${bucket}/share-organization-project`, 'Share a bucket with the projects of the organization'],
  ['post', `${bucket}/share-to-projects`, 'Share a bucket with projects'],
  ['post', `${bucket}/share-to-users`, 'Share a bucket with users'],
  ['put', `${bucket}/share`, 'Change how a bucket is shared'],
  ['delete', `${bucket}/share`, 'Stop sharing a bucket'],
  ['delete', `${bucket}/links/projects/{linkingProjectId}`, 'Unlink a bucket from another project'],
]

export const sharingRoutes: readonly Route[] = refused.map(([method, path, summary]) =>
  defineRoute({
    method,
    path,
    summary: `${summary} (not offered)`,
    tag: 'buckets',
    replies: { 501: '`notImplemented`' },
    handle: async (): Promise<Response> => {
      throw new UserError(
        'notImplemented',
        'Buckets are not shared between projects here: a stack holds one project. Give a token with read on the bucket, ' +
          'or export its tables.',
      )
    },
  }),
)
