import type { Json } from '#lib/json/json-value.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import type { Masker } from '../masking/masker.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { PageRequest } from './page-request.ts'
import type { RefreshTokens } from './refresh-tokens.ts'

/** What the kinds of authentication work with. */
export interface AuthenticatorOptions {
  attributes: Record<string, Json>
  evaluate: EvaluateValues
  masker: Masker
  now: () => number
  /**
   * Sends the request of a login: default headers apply to it, `defaultOptions` do not
   * (docs/reference/extractor-authentication.md#login).
   */
  send: (request: PageRequest) => Promise<Buffer>
  onLogin?: (() => void) | undefined
  refreshTokens: RefreshTokens
}

/** Adds credentials to requests. Stateless kinds ignore the session; a login kind counts its logins with it. */
export interface Authenticator {
  /** Signs one attempt; runs inside the retry loop, so that each retry is signed anew. */
  sign(request: OutgoingRequest): Promise<Signed>
  /**
   * After a 401 to a request signed in `session`: makes the next `sign` log in again. Returns whether a new try may help.
   * Absent where a new try would send the same credentials.
   */
  renew?(session: number): boolean
  /** Whether each request needs a login of its own, so that requests must not overlap. */
  readonly oneAtATime?: boolean
}

interface Signed {
  request: OutgoingRequest
  session: number
}

export const noAuthentication: Authenticator = {
  sign: async request => ({ request, session: 0 }),
}
