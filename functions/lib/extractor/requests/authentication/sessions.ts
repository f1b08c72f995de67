import type { Json } from '#lib/json/json-value.ts'
import { addLoginQuery } from '../../values/php/query.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { type Headers, setHeaders } from '../http/outgoing-request.ts'
import { withQuery } from './with-query.ts'

export interface Login {
  headers: Headers
  query: Record<string, Json>
  /** Seconds since 1970 from which on a new login is due; `undefined` is never. */
  expires: number | undefined
}

interface SessionOptions {
  login: () => Promise<Login>
  now: () => number
  everyRequest?: boolean
  /** Called after each login. Default: logins that ask nobody are not counted. */
  onLogin?: (() => void) | undefined
}

/**
 * Logs in before the first request and again when the credentials expire or are refused. Requests that come while a login
 * is under way wait for it, so that one login serves them all.
 */
export const sessionAuthentication = ({
  login,
  now,
  everyRequest = false,
  onLogin,
}: SessionOptions): Authenticator => {
  let session: (Login & { number: number }) | undefined
  let logins = 0
  let pending: Promise<Login & { number: number }> | undefined

  const isDue = (): boolean =>
    session === undefined || everyRequest || (session.expires !== undefined && now() >= session.expires)

  const renewed = async (): Promise<Login & { number: number }> => {
    const made = await login()
    logins++
    onLogin?.()
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
      return { request: { ...withLogin, headers: setHeaders(withLogin.headers, headers) }, session: number }
    },
    renew: number => {
      // A later request may have renewed already: then try its session
      if (session?.number === number) session = undefined
      return true
    },
  }
}
