import { UserError } from '../lib/errors/errors.ts'
import { defineRoute, type Route } from './http/route.ts'
import type { RouteDefinition } from './http/route-definition.ts'

type Method = RouteDefinition<string, never, never>['method']

interface NotOffered {
  readonly tag: string
  /** What to do instead. */
  readonly instead: string
  readonly operations: readonly (readonly [method: Method, path: string, summary: string])[]
}

const bucket = '/v2/storage/buckets/{bucketId}'
const table = '/v2/storage/tables/{tableId}'
const workspace = '/v2/storage/workspaces/{workspaceId}'
const config = '/v2/storage/components/{componentId}/configs/{configId}'

/** What clients know and this service does not do. */
const groups: readonly NotOffered[] = [
  {
    tag: 'workspaces',
    instead:
      'Workspaces are not offered here. Export the table to a file (export-async) and work with its CSV or Parquet.',
    operations: [
      ['post', '/v2/storage/workspaces', 'Create a workspace'],
      ['delete', workspace, 'Delete a workspace'],
      ['get', workspace, 'Workspace detail'],
      ['get', '/v2/storage/workspaces', 'List workspaces'],
      ['post', `${workspace}/load`, 'Load data into a workspace'],
      ['post', `${workspace}/load-clone`, 'Clone tables into a workspace'],
      ['post', `${workspace}/password`, 'Reset the password of a workspace'],
      ['post', `${workspace}/credentials`, 'Create credentials of a workspace'],
      ['get', `${config}/workspaces`, 'List workspaces of a configuration'],
      ['post', `${config}/workspaces`, 'Create a workspace of a configuration'],
    ],
  },
  {
    tag: 'buckets',
    instead:
      'Buckets are not shared between projects here: a stack holds one project. Give a token with read on the bucket, ' +
      'or export its tables.',
    operations: [
      ['post', `${bucket}/share-organization`, 'Share a bucket with the organization'],
      [
        'post',
        `${bucket}/share-organization-project`,
        'Share a bucket with the projects of the organization',
      ],
      ['post', `${bucket}/share-to-projects`, 'Share a bucket with projects'],
      ['post', `${bucket}/share-to-users`, 'Share a bucket with users'],
      ['put', `${bucket}/share`, 'Change how a bucket is shared'],
      ['delete', `${bucket}/share`, 'Stop sharing a bucket'],
      ['delete', `${bucket}/links/projects/{linkingProjectId}`, 'Unlink a bucket from another project'],
    ],
  },
  {
    tag: 'buckets',
    instead:
      'Buckets of other databases are not registered here. Load their data: import-async, or files dropped in the landing bucket.',
    operations: [
      ['post', '/v2/storage/buckets/register', 'Register an external bucket'],
      ['put', `${bucket}/refresh`, 'Refresh an external bucket'],
    ],
  },
  {
    tag: 'tables',
    instead: `Profiles are not kept here. Ask for one (GET ${table}/profile), which is answered at once.`,
    operations: [
      ['post', `${table}/profile`, 'Make a profile of a table'],
      ['get', `${table}/profile/latest`, 'Last profile of a table'],
    ],
  },
  {
    tag: 'tables',
    instead:
      'Tables are not swapped here. Make a snapshot of one table and the other one from it (tables-async with snapshotId).',
    operations: [['post', `${table}/swap`, 'Swap two tables']],
  },
  {
    tag: 'tables',
    instead: `Descriptions are metadata here: POST ${table}/metadata with metadata and columnsMetadata (KBC.description).`,
    operations: [['put', `${table}/definition`, 'Describe a table and its columns']],
  },
  {
    tag: 'merge requests',
    instead:
      'Conflicts are not listed before a merge here. Merge: it names each conflict and changes nothing.',
    operations: [
      ['get', '/v2/storage/merge-request/{mergeRequestId}/conflicts', 'Conflicts of a merge request'],
    ],
  },
  {
    tag: 'configurations',
    instead: `Branches are compared by merge requests here (changeLog), versions by GET ${config}/versions/{versionId}/diff/{otherVersionId}.`,
    operations: [['get', `${config}/diff`, 'Difference of a configuration to the default branch']],
  },
  {
    tag: 'configurations',
    instead: `Configurations are not rebased here. Take the default branch's over (POST ${config}/reset-to-default), then store yours again.`,
    operations: [['post', `${config}/rebase`, 'Rebase a configuration of a branch']],
  },
  {
    tag: 'triggers',
    instead:
      'There are no scheduled tasks here. Schedules are metadata of configurations (docs/extraction.md#schedules).',
    operations: [
      ['get', '/v2/storage/scheduled-tasks', 'List scheduled tasks'],
      ['post', '/v2/storage/scheduled-tasks', 'Create a scheduled task'],
    ],
  },
]

/** Each is answered with 501 and what to do instead. */
export const notOfferedRoutes: readonly Route[] = groups.flatMap(({ tag, instead, operations }) =>
  operations.map(([method, path, summary]) =>
    defineRoute({
      method,
      path,
      summary: `${summary} (not offered)`,
      tag,
      replies: { 501: '`notImplemented`' },
      handle: async (): Promise<Response> => {
        throw new UserError('notImplemented', instead)
      },
    }),
  ),
)
