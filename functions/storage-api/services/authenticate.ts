import { hexDigest, isSameText } from '../../lib/digests.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { allRights, isExpired } from '../../lib/storage/tokens/rights.ts'
import type { TokenRecord, TokenStore } from '../../lib/storage/tokens/token-store.ts'
import type { MasterTokens } from './master-tokens.ts'
import type { Caller, Services } from './services.ts'

/** `Authorization: Bearer <token>` replaces the token header. An empty header counts as missing. */
const tokenOf = (headers: Headers): string | undefined =>
  headers.get('x-storageapi-token')?.trim() ||
  /^Bearer +(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1] ||
  undefined

/**
 * Makes the check of a request's token: against the master token, then against the tokens made with it.
 *
 * Digests are compared, in constant time: they have one length, and tell nothing of how much of a guess was right.
 * Errors, both 401: `storage.tokenMissing`, which the reply leaves out, and `storage.tokenInvalid`. Neither holds what
 * was sent.
 */
export const createAuthenticate = (
  master: MasterTokens,
  { tokens, now }: { tokens: Pick<TokenStore, 'get'>; now: () => Date },
): Services['authenticate'] => {
  /** The master token's id, which a new one keeps, and whether this is one of those that count. */
  const judgeMaster = async (
    value: string,
    digest: string,
  ): Promise<{ masterId: string; isMaster: boolean }> => {
    const known = await master.known()
    const id = tokenIdOf(known[0])
    const masterId = id ?? '1'
    if (isOneOf(digest, known)) return { masterId, isMaster: true }
    // It may be newer than what is known here.
    const mayBeNewer = id !== undefined && tokenIdOf(value) === id
    return { masterId, isMaster: mayBeNewer && isOneOf(digest, await master.readAgain()) }
  }

  return async headers => {
    const value = tokenOf(headers)
    if (value === undefined) throw new UserError('storage.tokenMissing', 'Access token must be set')
    const digest = digestOf(value)
    const { masterId, isMaster } = await judgeMaster(value, digest)
    if (isMaster) return masterCaller(masterId)

    const id = parseId(tokenIdOf(value) ?? '')
    const token = id === undefined ? undefined : await tokens.get(id)
    if (!token || !isSameText(digest, token.digest))
      throw new UserError('storage.tokenInvalid', 'Invalid access token')
    if (isExpired(token, now())) throw new UserError('storage.tokenInvalid', 'Access token has expired')
    return callerOf(token, masterId)
  }
}

const masterCaller = (tokenId: string): Caller => ({
  tokenId,
  description: 'Master token',
  isMaster: true,
  masterId: tokenId,
  ...allRights,
  token: undefined,
})

const isOneOf = (digest: string, masterTokens: readonly string[]): boolean =>
  masterTokens.some(token => isSameText(digest, digestOf(token)))

/** SHA-256 in hexadecimal digits, which is how tokens are stored. */
export const digestOf = (token: string): string => hexDigest(token)

const callerOf = (token: TokenRecord, masterId: string): Caller => ({
  tokenId: String(token.id),
  description: token.description,
  isMaster: false,
  masterId,
  canManageBuckets: token.canManageBuckets,
  canReadAllFileUploads: token.canReadAllFileUploads,
  canPurgeTrash: token.canPurgeTrash,
  bucketPermissions: token.bucketPermissions,
  componentAccess: token.componentAccess ?? [],
  token,
})

/** `projectId-tokenId-secret` contains its id. */
export const tokenIdOf = (token: string): string | undefined => /^\d+-(\d{1,16})-./.exec(token)?.[1]
