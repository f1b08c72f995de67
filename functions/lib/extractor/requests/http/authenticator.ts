import type { Json } from '#lib/json/json-value.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import type { Masker } from '../masking/masker.ts'
import type { Headers, OutgoingRequest } from './outgoing-request.ts'
import type { PageRequest } from './page-request.ts'
import type { RefreshTokens } from './refresh-tokens.ts'

/** What a login gave. */
export interface Login {
  headers: Headers
  query: Record<string, Json>
  /** Seconds since 1970 from which on a new login is due; `undefined` is never. */
  expires: number | undefined
  /** All secrets of its answer but refresh tokens, which are kept elsewhere. */
  credentials: string[]
}

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
  /** Logins of the run by account, which the next leg goes on with; `account` is that of this authentication. */
  sessions: Record<string, Login>
  account: string
}

/** Adds credentials to requests. */
export interface Authenticator {
  /** Signs one attempt; runs inside the retry loop, so that each retry is signed anew. */
  sign(request: OutgoingRequest): Promise<OutgoingRequest>
  /**
   * After a request of this session was refused: makes the next `sign` log in again, and returns `true`. Absent where a new try would send
   * the same credentials.
   */
  renew?(session: number): true
  /** Whether a 401 asks for it, without any rule. */
  readonly renewsOn401?: boolean
  /** Whether each request needs a login of its own, so that requests must not overlap. */
  readonly oneAtATime?: boolean
}

export const noAuthentication: Authenticator = { sign: async request => request }
