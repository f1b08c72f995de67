import { noRights, type Rights } from './rights.ts'
import type { TokenRecord } from './token-store.ts'

export const isExpired = ({ expires }: Pick<TokenRecord, 'expires'>, now: Date): boolean =>
  expires !== null && expires <= now.toISOString()

/** What a stored token may do now: nothing once it was deleted or has expired. */
export const rightsOf = (token: TokenRecord | undefined, now: Date): Rights =>
  token === undefined || isExpired(token, now)
    ? noRights
    : { ...token, componentAccess: token.componentAccess ?? [] }
