import * as z from 'zod/mini'
import { UserError } from '../errors/errors.ts'
import { type ApiRequest, type Connection, request } from './request.ts'
import { type NewToken, newTokenSchema, type Token, tokenSchema } from './token-reads.ts'

export interface TokenSettings {
  description: string
  canManageBuckets: boolean
  canReadAllFileUploads: boolean
  bucketPermissions: Readonly<Record<string, string>>
  componentAccess: string[]
  /** Seconds. */
  expiresIn: number
}

/** What only a token that may manage tokens can do. */
export interface TokenClient {
  /** `undefined` when it was deleted. */
  token(tokenId: string): Promise<Token | undefined>
  createToken(settings: TokenSettings): Promise<NewToken>
  /** Idempotent. */
  deleteToken(tokenId: string): Promise<void>
  bucketIds(): Promise<string[]>
}

export const createTokenClient = (connection: Connection): TokenClient => {
  const call = <Result>(apiRequest: ApiRequest, schema: z.core.$ZodType<Result>) =>
    request(connection, apiRequest, schema)

  return {
    token: tokenId =>
      call({ method: 'GET', path: `tokens/${encodeURIComponent(tokenId)}` }, tokenSchema).catch(noneWhenGone),
    createToken: settings => call({ method: 'POST', path: 'tokens', body: settings }, newTokenSchema),
    deleteToken: async tokenId => {
      const path = `tokens/${encodeURIComponent(tokenId)}`
      await call({ method: 'DELETE', path }, z.unknown()).catch(noneWhenGone)
    },
    bucketIds: async () => {
      const buckets = await call({ method: 'GET', path: 'buckets' }, z.array(z.object({ id: z.string() })))
      return buckets.map(({ id }) => id)
    },
  }
}

export const noneWhenGone = (error: unknown): undefined => {
  if (error instanceof UserError && error.status === 404) return undefined
  throw error
}
