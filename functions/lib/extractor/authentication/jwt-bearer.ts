import type { Authenticator } from './authenticator.ts'
import type { SignedJwt } from './jwt.ts'
import { sessionAuthentication } from './sessions.ts'

/** So many seconds before its end a token is replaced by a new one. */
const marginSeconds = 30

/**
 * A signed token of our own as `Authorization: Bearer`, made anew shortly before it expires
 * (docs/reference/extractor-authentication.md#jwt).
 */
export const jwtAuthentication = (sign: () => Promise<SignedJwt>, now: () => number): Authenticator =>
  sessionAuthentication({
    now,
    login: async () => {
      const { text, expires } = await sign()
      return { headers: { Authorization: `Bearer ${text}` }, query: {}, expires: expires - marginSeconds }
    },
  })
