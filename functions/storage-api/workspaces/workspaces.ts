import { UserError } from '../../lib/errors/errors.ts'
import { defineRoute } from '../http/route.ts'

/** Workspaces are databases, which this service does not have. Every call is answered with an alternative. */
const notOffered = async (): Promise<Response> => {
  throw new UserError(
    'notImplemented',
    'Workspaces are not offered here. Export the table to a file (export-async) and work with its CSV or Parquet.',
  )
}

const shared = { tag: 'workspaces', replies: { 501: '`notImplemented`' }, handle: notOffered }

export const listWorkspaces = defineRoute({
  ...shared,
  method: 'get',
  path: '/v2/storage/workspaces',
  summary: 'List workspaces (not offered)',
})

export const createWorkspace = defineRoute({
  ...shared,
  method: 'post',
  path: '/v2/storage/workspaces',
  summary: 'Create a workspace (not offered)',
})

export const getWorkspace = defineRoute({
  ...shared,
  method: 'get',
  path: '/v2/storage/workspaces/{workspaceId}',
  summary: 'Workspace detail (not offered)',
})

export const deleteWorkspace = defineRoute({
  ...shared,
  method: 'delete',
  path: '/v2/storage/workspaces/{workspaceId}',
  summary: 'Delete a workspace (not offered)',
})

export const loadWorkspace = defineRoute({
  ...shared,
  method: 'post',
  path: '/v2/storage/workspaces/{workspaceId}/load',
  summary: 'Load data into a workspace (not offered)',
})

const ofConfiguration = '/v2/storage/components/{componentId}/configs/{configId}/workspaces'

export const listConfigurationWorkspaces = defineRoute({
  ...shared,
  method: 'get',
  path: ofConfiguration,
  summary: 'List workspaces of a configuration (not offered)',
})

export const createConfigurationWorkspace = defineRoute({
  ...shared,
  method: 'post',
  path: ofConfiguration,
  summary: 'Create a workspace of a configuration (not offered)',
})
