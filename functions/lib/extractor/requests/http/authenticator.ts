import { isObject, type Json } from '#lib/json/json-value.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import { toText } from '../../values/php/php-values.ts'
import { addLoginQuery } from '../../values/php/query.ts'
import type { Masker } from '../masking/masker.ts'
import { type Headers, type OutgoingRequest, setHeaders, withQuery } from './outgoing-request.ts'
import type { PageRequest } from './page-request.ts'

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

/** A refresh token that took the place of a configured one. Its keys begin with `#`: they are sealed where a state is stored. */
export interface ReplacedToken {
  '#configured': string
  '#current': string
}

/**
 * The refresh tokens of a configuration. Many servers end a refresh token when it is used and give a new one: then the
 * configured one is good for one run only, and the new one has to outlive the run (RFC 6749, 6).
 */
interface RefreshTokens {
  /** What to send for the configured token: the latest that took its place, or itself. */
  current(configured: string): string
  /** Keeps a new token. Resolves when it is safe. */
  replace(configured: string, next: string): Promise<void>
  all(): ReplacedToken[]
}

/**
 * @param stored `millrace.refreshTokens` of the state
 * @param keep stores them at once: a run that fails later must not lose the token
 */
export const createRefreshTokens = (
  stored: Json | undefined,
  keep: (tokens: ReplacedToken[]) => Promise<void>,
): RefreshTokens => {
  const current = new Map<string, string>()
  for (const entry of Array.isArray(stored) ? stored : []) {
    if (isObject(entry)) current.set(toText(entry['#configured']), toText(entry['#current']))
  }
  const all = (): ReplacedToken[] =>
    [...current].map(([configured, token]) => ({ '#configured': configured, '#current': token }))
  return {
    current: configured => current.get(configured) ?? configured,
    replace: async (configured, next) => {
      if ((current.get(configured) ?? configured) === next) return
      current.set(configured, next)
      await keep(all())
    },
    all,
  }
}

interface SessionOptions extends Partial<Pick<AuthenticatorOptions, 'sessions' | 'account' | 'onLogin'>> {
  login: () => Promise<Login>
  now: () => number
  everyRequest?: boolean
  renewsOn401?: boolean
}

/**
 * Logs in before the first request of a run, however many legs it has, and again when the credentials expire or a rule says so. Requests
 * that come while a login is under way wait for it, so that one login serves them all.
 */
export const sessionAuthentication = ({
  login,
  now,
  everyRequest = false,
  onLogin,
  sessions = {},
  account = '',
  renewsOn401 = false,
}: SessionOptions): Authenticator => {
  let session: (Login & { number: number }) | undefined = sessions[account] && {
    ...sessions[account],
    number: 0,
  }
  let logins = 0
  let pending: Promise<Login & { number: number }> | undefined

  const isDue = (): boolean =>
    session === undefined || everyRequest || (session.expires !== undefined && now() >= session.expires)

  const renewed = async (): Promise<Login & { number: number }> => {
    const made = await login()
    logins++
    onLogin?.()
    if (!everyRequest) sessions[account] = made
    session = { ...made, number: logins }
    return session
  }

  const current = async (): Promise<Login & { number: number }> => {
    if (session !== undefined && !isDue()) return session
    pending ??= renewed().finally(() => {
      pending = undefined
    })
    return pending
  }

  return {
    oneAtATime: everyRequest,
    sign: async request => {
      const { number, headers, query } = await current()
      const withLogin =
        Object.keys(query).length === 0 ? request : withQuery(request, old => addLoginQuery(old, query))
      return { ...withLogin, headers: setHeaders(withLogin.headers, headers), session: number }
    },
    renew: number => {
      // A later request may have renewed already: then try its session
      if (session?.number === number) session = undefined
      return true
    },
    renewsOn401,
  }
}
