import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { tokenBody, tokenWithProjectBody } from '../../lib/wire/token-body.ts'
import { requireMaster } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { masterTokenResource, tokenFacts, tokenResource } from './token-resource.ts'
import { tokenWithProject } from './token-with-project.ts'

export const routes = routesOf('tokens')

/** All tokens for the master token, itself for any other. */
routes.get('/v2/storage/tokens', {
  summary: 'List tokens',
  replies: { 200: 'The tokens, the master token first' },
  reply: z.array(tokenBody),
  handle: async ({ caller, baseUrl }, services) => {
    const { tokens, project } = services
    const facts = await tokenFacts(baseUrl, services)
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
export const findToken = async ({ tokens }: Services, tokenId: string): Promise<TokenRecord> => {
  const id = parseId(tokenId)
  if (id === undefined)
    throw new UserError('storage.tokens.notFound', `Token "${tokenId.slice(0, 50)}": resource not found`)
  const token = await tokens.get(id)
  if (!token) throw tokenNotFound(tokenId)
  return token
}

export const tokenNotFound = (tokenId: string): UserError =>
  new UserError('storage.tokens.notFound', `Token ${tokenId.slice(0, 20)} not found`)
