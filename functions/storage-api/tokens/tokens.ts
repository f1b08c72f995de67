import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { OVERTAKEN, untilWritten } from '../../lib/storage/db/until-written.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { newTokenBody, tokenBody, tokenWithProjectBody } from '../../lib/wire/token-body.ts'
import { text } from '../http/fields.ts'
import { telling } from '../http/record-event.ts'
import { requireMaster } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { digestOf } from '../services/authenticate.ts'
import type { Caller, Services } from '../services/services.ts'
import { grantInSteps, tokenEvent } from './grant-in-steps.ts'
import { masterTokenResource, tokenFacts, tokenResource, tokenWithProject } from './token-resource.ts'
import { readTokenSettings, tokenFields } from './token-settings.ts'

export const routes = routesOf('tokens')

/** All tokens for the master token, itself for any other. */
routes.get('/v2/storage/tokens', {
  summary: 'List tokens',
  replies: { 200: 'The tokens, the master token first' },
  reply: z.array(tokenBody),
  handle: async ({ caller, baseUrl }, services) => {
    const { tokens, project } = services
    const facts = await tokenFacts(baseUrl, services, caller)
    if (caller.token) return [tokenResource(caller.token, facts)]
    const master = masterTokenResource(caller.tokenId, await project.created(), facts)
    return [master, ...(await tokens.list()).map(token => tokenResource(token, facts))]
  },
})

/**
 * What the token of the request may do, and in which project (docs/reference/storage-api.md#tokens-and-rights). Does
 * not repeat the token.
 */
routes.get('/v2/storage/tokens/verify', {
  summary: 'Verify the token of the request',
  replies: { 200: 'The token and its project', 401: 'No token, or an invalid one' },
  reply: tokenWithProjectBody,
  handle: async ({ caller, baseUrl }, services) =>
    tokenWithProject(caller.token ?? { masterId: caller.tokenId }, baseUrl, services),
})

/** One token, as `verify` shows it, and the admin it belongs to. Each token may read itself. */
routes.get('/v2/storage/tokens/{tokenId}', {
  summary: 'Token detail',
  replies: { 200: 'The token', 403: 'It is another token', 404: 'There is no such token' },
  reply: tokenWithProjectBody,
  handle: async ({ params, caller, baseUrl }, services) => {
    const isOwn = params.tokenId === caller.tokenId
    if (!isOwn) requireMaster(caller)
    const token =
      isOwn && caller.isMaster ? { masterId: caller.tokenId } : await findToken(services, params.tokenId)
    return tokenWithProject(token, baseUrl, services)
  },
})

/** The token of a path, or 404 `storage.tokens.notFound`. Never the master token. */
const findToken = async ({ tokens }: Services, tokenId: string): Promise<TokenRecord> => {
  const id = parseId(tokenId)
  if (id === undefined)
    throw new UserError('storage.tokens.notFound', `Token "${tokenId.slice(0, 50)}": resource not found`)
  const token = await tokens.get(id)
  if (!token) throw tokenNotFound(tokenId)
  return token
}

const tokenNotFound = (tokenId: string): UserError =>
  new UserError('storage.tokens.notFound', `Token ${tokenId.slice(0, 20)} not found`)

/**
 * Replaces the given settings, bucket permissions and component access as a whole. Whether a token manages all buckets
 * was decided when it was made.
 */
routes.put('/v2/storage/tokens/{tokenId}', {
  summary: 'Update a token',
  access: 'master',
  body: z.object(tokenFields),
  validationCode: 'storage.tokens.validation',
  replies: { 200: 'The token', 400: '`storage.tokens.invalidPermissions`', 404: 'There is no such token' },
  reply: tokenBody,
  handle: async (request, services) => {
    const { params, body, caller, baseUrl } = request
    refuseMaster(params.tokenId, caller)
    const { id, canManageBuckets } = await findToken(services, params.tokenId)
    if (body.canManageBuckets !== undefined && body.canManageBuckets !== canManageBuckets)
      throw new UserError(
        'storage.tokens.validation',
        'Invalid request:\n - canManageBuckets: "It cannot be changed: create another token."',
      )
    const settings = await readTokenSettings({ ...body, canManageBuckets }, services)
    const token = await grantInSteps(id, settings, request, services)
    if (!token) throw tokenNotFound(params.tokenId)
    return tokenResource(token, await tokenFacts(baseUrl, services, token))
  },
})

/** Deletes a token. It is refused from the next request on. Each token may delete itself. */
routes.delete('/v2/storage/tokens/{tokenId}', {
  summary: 'Delete a token',
  replies: {
    204: 'Deleted',
    400: '`storage.tokens.cannotDeleteDueToOrchestration`',
    403: 'It is another token',
    404: 'There is no such token',
  },
  handle: async (request, services) => {
    const { params, caller } = request
    refuseMaster(params.tokenId, caller)
    if (params.tokenId !== caller.tokenId) requireMaster(caller)
    await untilWritten(
      () => new TransientError('storage.tokens.busy', 'The token is being changed by other requests.'),
      async () => {
        const token = await findToken(services, params.tokenId)
        await refuseWhileTriggered(token.id, services)
        const told = telling(request, services, tokenEvent('tokenDeleted', token))
        const { id, revision } = token
        return (await services.tokens.delete(id, told, { revision })) ? undefined : OVERTAKEN
      },
    )
  },
})

/** A trigger could not run without its token. */
const refuseWhileTriggered = async (tokenId: number, { triggers }: Services): Promise<void> => {
  const trigger = (await triggers.list()).find(({ runWithTokenId }) => runWithTokenId === tokenId)
  if (trigger)
    throw new UserError(
      'storage.tokens.cannotDeleteDueToOrchestration',
      "Cannot delete token, because it's used for event trigger inside component " +
        `"${trigger.component}" with configuration id "${trigger.configurationId}"`,
    )
}

/** Gives a token a new value. The old one is refused from then on. Each token may refresh itself. */
routes.post('/v2/storage/tokens/{tokenId}/refresh', {
  summary: 'Refresh a token',
  replies: { 200: 'The token with its new value', 403: 'It is another token', 404: 'There is no such token' },
  reply: newTokenBody,
  handle: async (request, services) => {
    const { params, caller, baseUrl } = request
    const { tokens, now, projectId } = services
    refuseMaster(params.tokenId, caller)
    if (params.tokenId !== caller.tokenId) requireMaster(caller)
    const { id } = await findToken(services, params.tokenId)
    const value = newTokenValue(projectId, id)
    const at = now().toISOString()
    const token = await tokens.update(
      id,
      current => ({ ...current, digest: digestOf(value), refreshed: at }),
      changed => telling(request, services, tokenEvent('tokenRefreshed', changed)),
    )
    if (!token) throw tokenNotFound(params.tokenId)
    return { ...tokenResource(token, await tokenFacts(baseUrl, services, token)), token: value }
  },
})

/** Not offered: values of tokens are not stored, and the stack sends no mail. */
routes.post('/v2/storage/tokens/{tokenId}/share', {
  summary: 'Share a token by mail (not offered)',
  access: 'master',
  body: z.object({ recipientEmail: text({ min: 3, max: 320 }), message: text().default('') }),
  validationCode: 'storage.tokens.validation',
  replies: {
    400: '`storage.token.cannotShareMasterToken`',
    404: 'There is no such token',
    501: '`notImplemented`: hand over the value that create or refresh shows',
  },
  handle: async ({ params, caller }, services) => {
    if (params.tokenId === caller.tokenId)
      throw new UserError('storage.token.cannotShareMasterToken', 'The master token cannot be shared.')
    await findToken(services, params.tokenId)
    throw new UserError(
      'notImplemented',
      'Tokens are not sent by mail: their values are not stored. Refresh the token and hand over its new value.',
    )
  },
})

/** Creates a token. Only this reply ever shows its value. */
routes.post('/v2/storage/tokens', {
  summary: 'Create a token',
  access: 'master',
  body: z.object(tokenFields),
  validationCode: 'storage.tokens.validation',
  replies: {
    201: 'The token with its value',
    400: '`storage.tokens.invalidPermissions`',
    403: 'The token is not the master token',
  },
  reply: newTokenBody,
  handle: async (request, services) => {
    const { body, caller, baseUrl } = request
    const { tokens, nextId, now, projectId } = services
    const settings = await readTokenSettings(body, services)
    const at = now().toISOString()
    for (;;) {
      const id = nextId()
      const value = newTokenValue(projectId, id)
      const token: TokenRecord = {
        id,
        description: `Created by ${caller.description}`,
        digest: digestOf(value),
        created: at,
        refreshed: at,
        expires: null,
        canManageBuckets: false,
        canReadAllFileUploads: false,
        canPurgeTrash: false,
        componentAccess: null,
        creatorToken: { id: caller.tokenId, description: caller.description },
        ...settings,
        bucketPermissions: {},
        revision: 1,
      }
      const { bucketPermissions = {} } = settings
      const told = tokenEvent('tokenCreated', { ...token, bucketPermissions })
      // Skips an id that another process took in the same millisecond.
      if (!(await tokens.insert(token, telling(request, services, told)))) continue
      const grants = Object.keys(bucketPermissions).length > 0
      const granted = grants && (await grantInSteps(id, { bucketPermissions }, request, services, false))
      return {
        ...tokenResource(granted || token, await tokenFacts(baseUrl, services, token)),
        token: value,
      }
    }
  },
})

/** The master token is the stack's secret and is changed there. Error: 400 `storage.tokens.masterToken`. */
const refuseMaster = (tokenId: string, caller: Caller): void => {
  if (caller.isMaster && tokenId === caller.tokenId)
    throw new UserError(
      'storage.tokens.masterToken',
      'The master token cannot be changed here. It is a secret of the stack: put a new version of the secret (docs/deploy.md).',
    )
}

/** 192 random bits: nobody can guess them, so a plain digest may be stored. */
const SECRET_BYTES = 24

/** `projectId-tokenId-secret` (docs/reference/storage-api.md#tokens-and-rights). */
const newTokenValue = (projectId: number, tokenId: number): string =>
  `${projectId}-${tokenId}-${randomBytes(SECRET_BYTES).toString('hex')}`
