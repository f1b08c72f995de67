import { UserError } from '#lib/errors/errors.ts'
import { failureOf } from '../../http/failure.ts'
import { readBody } from '../../http/read-body.ts'
import type { Services } from '../../services/services.ts'

const CLIENT_CREDENTIALS = 'client_credentials'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

/** An error as OAuth clients read it (RFC 6749, section 5.2). */
interface OAuthError {
  error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type'
  error_description: string
}

/**
 * For engines that insist on OAuth: gives a storage token back as an access token, when it is valid. It comes as the secret
 * of `client_credentials`, in the form or in an Authorization header (the client id is not looked at), or as the subject
 * of a token exchange, with which clients renew.
 *
 * Parameters that we do not know are passed over (RFC 6749, section 3.2). Never rejects: errors have OAuth's form.
 */
export const getToken = async (raw: Request, services: Services): Promise<Response> => {
  try {
    const found = tokenIn(await readBody(raw), raw.headers)
    if ('error' in found) return reply(400, found)
    const { token } = found
    const caller = await services.authenticate(new Headers({ authorization: `Bearer ${token}` }))
    const expires = caller.token?.expires
    return reply(200, {
      access_token: token,
      token_type: 'bearer',
      issued_token_type: ACCESS_TOKEN,
      ...(expires && { expires_in: Math.floor((Date.parse(expires) - services.now().getTime()) / 1000) }),
    })
  } catch (error) {
    const { status, message } = failureOf(error, services.log)
    if (error instanceof UserError && status === 401)
      return reply(401, refused('invalid_client', 'The client secret is no valid storage token.'))
    return reply(status, refused('invalid_request', message))
  }
}

const tokenIn = (form: Record<string, unknown>, headers: Headers): { token: string } | OAuthError => {
  const textOf = (name: string): string | undefined => {
    const value = form[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const given = (token: string | undefined, name: string) =>
    token === undefined
      ? refused('invalid_request', `${name} is missing. It is the storage token.`)
      : { token }

  const grant = textOf('grant_type')
  if (grant === CLIENT_CREDENTIALS)
    return given(textOf('client_secret') ?? secretInHeader(headers), 'client_secret')
  if (grant !== TOKEN_EXCHANGE)
    return refused('unsupported_grant_type', `There are ${CLIENT_CREDENTIALS} and ${TOKEN_EXCHANGE}.`)
  if (textOf('actor_token') !== undefined)
    return refused('invalid_request', 'No token acts for another one here: leave out actor_token.')
  return given(textOf('subject_token'), 'subject_token')
}

/** `Authorization: Basic base64(id:secret)`. */
const secretInHeader = (headers: Headers): string | undefined => {
  const encoded = /^Basic +(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1]
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1) || undefined
}

const refused = (error: OAuthError['error'], error_description: string): OAuthError => ({
  error,
  error_description,
})

/** RFC 6749, section 5.1: no cache may keep it. */
const reply = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
