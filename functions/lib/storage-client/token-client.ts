import * as z from 'zod/mini'
import { UserError } from '../errors/errors.ts'
import { reads } from '../wire/reads.ts'
import { newTokenBody, tokenBody } from '../wire/token-body.ts'
import { type ApiRequest, type Connection, request } from './request.ts'

/** The fields that decide a run's rights. */
const tokenSchema = reads(tokenBody, {
  id: true,
  description: true,
  isDisabled: true,
  isExpired: true,
  expires: false,
  canManageBuckets: true,
  canReadAllFileUploads: true,
  bucketPermissions: true,
  componentAccess: false,
})
const newTokenSchema = reads(newTokenBody, { id: true, token: true })

export type Token = z.infer<typeof tokenSchema>

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
export const createTokenClient = (connection: Connection) => {
  const call = <Result>(apiRequest: ApiRequest, schema: z.core.$ZodType<Result>) =>
    request(connection, apiRequest, schema)

  return {
    /** `undefined` when it was deleted. */
    token: (tokenId: string) =>
      call({ method: 'GET', path: `tokens/${encodeURIComponent(tokenId)}` }, tokenSchema).catch(noneWhenGone),
    createToken: (settings: TokenSettings) =>
      call({ method: 'POST', path: 'tokens', body: settings }, newTokenSchema),
    /** Idempotent. */
    deleteToken: async (tokenId: string) => {
      const path = `tokens/${encodeURIComponent(tokenId)}`
      await call({ method: 'DELETE', path }, z.unknown()).catch(noneWhenGone)
    },
    bucketIds: async () => {
      const buckets = await call({ method: 'GET', path: 'buckets' }, z.array(z.object({ id: z.string() })))
      return buckets.map(({ id }) => id)
    },
  }
}

export type TokenClient = ReturnType<typeof createTokenClient>

export const noneWhenGone = (error: unknown): undefined => {
  if (error instanceof UserError && error.status === 404) return undefined
  throw error
}
