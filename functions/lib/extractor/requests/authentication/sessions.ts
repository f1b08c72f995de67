import { addLoginQuery } from '../../values/php/query.ts'
import type { Authenticator, AuthenticatorOptions, Login } from '../http/authenticator.ts'
import { setHeaders } from '../http/outgoing-request.ts'
import { withQuery } from './query.ts'

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
