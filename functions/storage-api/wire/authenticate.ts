import { createHash, timingSafeEqual } from 'node:crypto'
import { UserError } from '../../lib/errors.ts'

/** Who calls: what a valid token stands for. */
export interface Caller {
  tokenId: string
  description: string
}

/** `Authorization: Bearer <token>` stands for the token header. Empty is missing. */
const tokenOf = (headers: Headers): string | undefined =>
  headers.get('x-storageapi-token')?.trim() ||
  /^Bearer +(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1] ||
  undefined

/**
 * Makes the check of a request's token against the master token.
 *
 * Digests are compared, in constant time: they have one length, and tell nothing of how much of a guess was right.
 * Errors (both 401): "Access token must be set" without a code, `storage.tokenInvalid`. Neither holds what was sent.
 */
export const createAuthenticate = (masterToken: string) => {
  const expected = digest(masterToken)
  const caller: Caller = { tokenId: tokenIdOf(masterToken), description: 'Master token' }

  return (headers: Headers): Caller => {
    const token = tokenOf(headers)
    if (token === undefined) throw new UserError('', 'Access token must be set', { status: 401 })
    if (!timingSafeEqual(digest(token), expected))
      throw new UserError('storage.tokenInvalid', 'Invalid access token', { status: 401 })
    return caller
  }
}

/** `projectId-tokenId-secret` says its id; a token of another form is the first one. */
const tokenIdOf = (token: string): string => /^\d+-(\d{1,15})-./.exec(token)?.[1] ?? '1'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
