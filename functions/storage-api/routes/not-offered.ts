import { UserError } from '../../lib/errors/errors.ts'
import { type Method, type Route, routesOf } from '../http/route.ts'

interface NotOffered {
  readonly tag: string
  /** What to do instead. */
  readonly instead: string
  readonly operations: readonly (readonly [method: Method, path: string, summary: string])[]
}

const bucket = '/v2/storage/buckets/{bucketId}'
const table = '/v2/storage/tables/{tableId}'
const config = '/v2/storage/components/{componentId}/configs/{configId}'
const mergeRequest = '/v2/storage/merge-request/{mergeRequestId}'
const workspace = '/v2/storage/workspaces/{workspaceId}'

/** What clients know and this service does not do. */
const groups: readonly NotOffered[] = [
  {
    tag: 'workspaces',
    instead:
      'Workspaces hold nothing here: they read the tables themselves, by queries. To work on copies, export the table to a file (export-async).',
    operations: [
      ['post', `${workspace}/load`, 'Load data into a workspace'],
      ['post', `${workspace}/load-clone`, 'Clone tables into a workspace'],
      ['post', `${workspace}/input-mapping-load`, 'Load an input mapping into a workspace'],
      ['post', '/v2/storage/input-mapping-load/preview', 'Preview the load of an input mapping'],
      ['post', `${workspace}/unload`, 'Unload data from a workspace'],
      ['post', `${workspace}/table-export`, 'Export a table of a workspace'],
      ['get', `${workspace}/objects`, 'List objects of a workspace'],
      ['post', `${workspace}/objects/batch-delete`, 'Delete objects of a workspace'],
    ],
  },
  {
    tag: 'workspaces',
    instead: 'Workspaces are queried here through the query service of the index, or POST /v2/storage/query.',
    operations: [['post', `${workspace}/query`, 'Query in a workspace']],
  },
  {
    tag: 'workspaces',
    instead: 'Nobody logs in to a workspace here: queries have the rights of the token that asks them.',
    operations: [
      ['post', `${workspace}/password`, 'Reset the password of a workspace'],
      ['post', `${workspace}/public-key`, 'Set the public key of a workspace'],
      ['post', `${workspace}/credentials`, 'Create credentials of a workspace'],
      ['get', `${workspace}/credentials/{credentialsId}`, 'Credentials of a workspace'],
      ['delete', `${workspace}/credentials/{credentialsId}`, 'Delete credentials of a workspace'],
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
      ['delete', `${bucket}/links/{linkingProjectId}`, 'Unlink a bucket from another project'],
      ['get', '/v2/storage/listings', 'List what is offered to other projects'],
      ['get', `${bucket}/listing`, 'What is offered of a bucket'],
      ['post', `${bucket}/listing`, 'Offer a bucket to other projects'],
      ['patch', `${bucket}/listing`, 'Change what is offered of a bucket'],
      ['delete', `${bucket}/listing`, 'Stop offering a bucket'],
    ],
  },
  {
    tag: 'buckets',
    instead:
      'Buckets of other databases are not registered here. Load their data: import-async, or files dropped in the landing bucket.',
    operations: [
      ['post', '/v2/storage/buckets/register', 'Register an external bucket'],
      ['get', '/v2/storage/buckets/register-guide', 'How an external bucket is registered'],
      ['put', `${bucket}/refresh`, 'Refresh an external bucket'],
      ['post', `${bucket}/refresh-tables-info`, 'Refresh what is known of the tables of an external bucket'],
      ['post', `${bucket}/scheduled-tasks/refresh`, 'Refresh an external bucket by a schedule'],
    ],
  },
  {
    tag: 'tables',
    instead: 'There are no profiles here. Ask POST /v2/storage/query with SUMMARIZE SELECT … for one.',
    operations: [
      ['post', `${table}/profile`, 'Make a profile of a table'],
      ['get', `${table}/profile/latest`, 'Last profile of a table'],
    ],
  },
  {
    tag: 'configurations',
    instead:
      'Configurations of branches are not merged here: pull both with kbc and merge them with git. ' +
      'POST …/reset-to-default takes a configuration of a branch back to the default branch.',
    operations: [
      ['get', '/v2/storage/merge-request', 'List merge requests'],
      ['post', '/v2/storage/merge-request', 'Create a merge request'],
      ['get', mergeRequest, 'A merge request'],
      ['put', mergeRequest, 'Change a merge request'],
      ['get', `${mergeRequest}/conflicts`, 'Conflicts of a merge request'],
      ['put', `${mergeRequest}/request-review`, 'Ask for a review'],
      ['put', `${mergeRequest}/approve`, 'Approve a merge request'],
      ['put', `${mergeRequest}/request-changes`, 'Ask for changes'],
      ['put', `${mergeRequest}/merge`, 'Merge a merge request'],
      ['get', `${config}/diff`, 'Difference of a configuration to the default branch'],
      ['post', `${config}/rebase`, 'Rebase a configuration of a branch'],
    ],
  },
  {
    tag: 'tables',
    instead: 'There is nothing to optimize here: each load joins small files of its table.',
    operations: [['post', `${table}/optimize`, 'Optimize a table']],
  },
  {
    tag: 'triggers',
    instead:
      'There are no scheduled tasks here. Schedules are metadata of configurations (docs/extraction.md#schedules).',
    operations: [
      ['get', '/v2/storage/scheduled-tasks', 'List scheduled tasks'],
      ['post', '/v2/storage/scheduled-tasks', 'Create a scheduled task'],
      ['delete', '/v2/storage/scheduled-tasks/{taskId}', 'Delete a scheduled task'],
    ],
  },
]

/** Each is answered with 501 and what to do instead. */
export const notOfferedRoutes: readonly Route[] = groups.flatMap(({ tag, instead, operations }) => {
  const routes = routesOf(tag)
  for (const [method, path, summary] of operations)
    routes[method](path, {
      summary: `${summary} (not offered)`,
      replies: { 501: '`notImplemented`' },
      handle: async (): Promise<Response> => {
        throw new UserError('notImplemented', instead)
      },
    })
  return routes.list
})
