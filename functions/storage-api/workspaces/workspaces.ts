import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import { type WorkspaceRecord, workspaceResource } from '../../lib/storage/workspaces/workspace-store.ts'
import { creatorToken, wireDateText } from '../../lib/wire/fields.ts'
import { type ConfigurationRequest, findConfiguration, notFound } from '../find/find-configuration.ts'
import { refuseHoarding } from '../http/at-once.ts'
import { flag, text } from '../http/fields.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { type Submitter, submitJob } from '../jobs/submit-job.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('workspaces')

const path = '/v2/storage/workspaces'
const configPath = '/v2/storage/components/{componentId}/configs/{configId}/workspaces'

const body = z.object({
  readOnlyStorageAccess: flag().default(false),
  /** What the tables are taken for is a setting of the stack, and nobody logs in. */
  backend: text().optional(),
  loginType: text().optional(),
})
const query = z.object({ async: flag().default(false) })

const workspaceBody = z
  .object({
    id: z.int(),
    name: z.string(),
    type: z.string(),
    component: z.string().nullable(),
    configurationId: z.string().nullable(),
    created: wireDateText,
    creatorToken,
    readOnlyStorageAccess: z.literal(true),
    connection: z.object({
      backend: z.string(),
      host: z.string(),
      database: z.string(),
      schema: z.string(),
      user: z.null(),
      loginType: z.string(),
    }),
  })
  .meta({ id: 'Workspace' })

const replies = {
  201: 'The workspace',
  202: 'With `async`: a job `workspaceCreate`; its results are the workspace',
  501: '`notImplemented`: without `readOnlyStorageAccess`',
}

type Asked = Submitter & { body: z.output<typeof body>; query: z.output<typeof query> }

const create = async (
  request: Asked,
  configuration: WorkspaceRecord['configuration'],
  services: Services,
) => {
  if (!request.body.readOnlyStorageAccess)
    throw new UserError(
      'notImplemented',
      'Only workspaces that read tables by queries are offered here (readOnlyStorageAccess). To work on copies, export the tables to files (export-async).',
    )
  refuseHoarding('workspaces', await services.workspaces.list(), request.caller)
  if (request.query.async)
    return submitJob(request, services, {
      input: { operationName: 'workspaceCreate', configuration },
      admit: async () => ({ ...configuration }),
    })
  const { caller, branchId, baseUrl } = request
  const creatorToken = { id: caller.tokenId, description: caller.description }
  for (;;) {
    const id = services.nextId()
    const at = services.now().toISOString()
    const workspace = { id, branchId, configuration, created: at, creatorToken, revision: 1 }
    if (await services.workspaces.insert(workspace))
      return workspaceResource(workspace, { ...services, baseUrl })
  }
}

routes.post(path, {
  summary: 'Create a workspace that reads tables by queries',
  query,
  body,
  replies,
  reply: workspaceBody,
  handle: async (request, services) => create(request, null, services),
})

routes.post(configPath, {
  summary: 'Create a workspace of a configuration',
  query,
  body,
  replies: { ...replies, 404: 'There is no such configuration' },
  reply: workspaceBody,
  handle: async (request, services) => create(request, await ofConfiguration(request, services), services),
})

routes.get(path, {
  summary: 'List workspaces',
  replies: { 200: 'The workspaces of the branch' },
  reply: z.array(workspaceBody),
  handle: async (request, services) => listed(request, services, () => true),
})

routes.get(configPath, {
  summary: 'List workspaces of a configuration',
  replies: { 200: 'The workspaces', 404: 'There is no such configuration' },
  reply: z.array(workspaceBody),
  handle: async (request, services) => {
    const { component, configurationId } = await ofConfiguration(request, services)
    return listed(
      request,
      services,
      ({ configuration }) =>
        configuration?.component === component && configuration.configurationId === configurationId,
    )
  },
})

/** Those of the branch of the path that the caller sees and for which `isWanted` holds. */
const listed = async (
  { branchId, baseUrl, caller }: { branchId: number; baseUrl: string; caller: Caller },
  services: Services,
  isWanted: (workspace: WorkspaceRecord) => boolean,
) =>
  (await services.workspaces.list())
    .filter(workspace => workspace.branchId === branchId && isSeen(workspace, caller) && isWanted(workspace))
    .map(workspace => workspaceResource(workspace, { ...services, baseUrl }))

routes.get(`${path}/{workspaceId}`, {
  summary: 'Workspace detail',
  replies: { 200: 'The workspace', 404: 'There is no such workspace' },
  reply: workspaceBody,
  handle: async (request, services) => {
    const workspace = await findWorkspace(request.params.workspaceId, request, services)
    return workspaceResource(workspace, { ...services, baseUrl: request.baseUrl })
  },
})

routes.delete(`${path}/{workspaceId}`, {
  summary: 'Delete a workspace',
  query,
  replies: {
    204: 'Deleted',
    202: 'With `async`: a job `workspaceDelete`',
    403: 'Another token made it',
    404: 'There is no such workspace',
  },
  handle: async (request, services) => {
    const { id, creatorToken } = await findWorkspace(request.params.workspaceId, request, services)
    if (!mayDelete(request.caller, creatorToken.id)) throw accessDenied()
    if (request.query.async)
      return submitJob(request, services, {
        input: { operationName: 'workspaceDelete', workspaceId: id },
        admit: async () => ({ workspaceId: id }),
      })
    await services.workspaces.delete(id)
    return undefined
  },
})

const mayDelete = ({ isMaster, tokenId }: Caller, creatorId: string): boolean =>
  isMaster || tokenId === creatorId

const ofConfiguration = async (request: ConfigurationRequest, services: Services) => {
  await findConfiguration(request, services)
  return { component: request.params.componentId, configurationId: request.params.configId }
}

/** Who made it is nobody else's business. */
const isSeen = ({ creatorToken }: WorkspaceRecord, { canManageBuckets, tokenId }: Caller): boolean =>
  canManageBuckets || tokenId === creatorToken.id

/** The workspace of a branch, if the caller sees it, or 404. */
export const findWorkspace = async (
  workspaceId: string,
  { branchId, caller }: { branchId: number; caller: Caller },
  { workspaces }: Services,
): Promise<WorkspaceRecord> => {
  const workspace = await storedUnder(workspaceId, workspaces.get)
  if (workspace?.branchId !== branchId || !isSeen(workspace, caller)) throw workspaceNotFound(workspaceId)
  return workspace
}

const workspaceNotFound = (id: string) => notFound(`Workspace ${id.slice(0, 20)} not found`)
