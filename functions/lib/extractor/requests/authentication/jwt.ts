import { createHmac, createPrivateKey, sign } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import { isNumber, isObject } from '#lib/json/json-value.ts'
import type { JwtSettings } from '../../config/authentication-schema.ts'
import { toText } from '../../values/php/php-values.ts'
import {
  type Authenticator,
  type AuthenticatorOptions,
  sessionAuthentication,
} from '../http/authenticator.ts'

const defaultLifetimeSeconds = 3600

interface SignedJwt {
  text: string
  expires: number
}

type JwtOptions = Omit<AuthenticatorOptions, 'send' | 'refreshTokens' | 'sessions' | 'account'> & {
  settings: JwtSettings
}

/**
 * Makes signed tokens (RFC 7519) from the claims and the key of a configuration. `iat` and `exp` are added unless the
 * claims hold them (docs/reference/extractor-authentication.md#jwt).
 *
 * @throws UserError `extractor.authentication.jwt` for a key that does not fit the algorithm
 */
export const createJwtSigner = ({ settings, attributes, evaluate, masker, now }: JwtOptions) => {
  const { algorithm, keyId, lifetime = defaultLifetimeSeconds } = settings

  return async (): Promise<SignedJwt> => {
    const issuedAt = Math.floor(now())
    const values = evaluate(
      { key: settings.key, claims: { ...settings.claims } },
      { attr: attributes },
      'api.authentication',
    )
    const claims = isObject(values['claims']) ? values['claims'] : {}
    const expires = isNumber(claims['exp']) ? Number(claims['exp']) : issuedAt + lifetime
    try {
      const header = { alg: algorithm, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
      const signed = [header, { iat: issuedAt, ...claims, exp: expires }].map(encoded).join('.')
      const text = `${signed}.${signatureOf(signed, algorithm, toText(values['key']))}`
      masker.addPassing([text])
      return { text, expires }
    } catch (cause) {
      throw new UserError(
        'extractor.authentication.jwt',
        `The key under "api.authentication" cannot sign with ${algorithm}: ${cause instanceof Error ? cause.message : 'unknown error'}`,
        { cause },
      )
    }
  }
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** RFC 7518, 3.1. Throws for a key of another kind, or one that is too short for others to take. */
const signatureOf = (text: string, algorithm: JwtSettings['algorithm'], given: string): string => {
  if (algorithm === 'HS256') {
    if (given === '') throw new Error('the key is empty')
    return createHmac('sha256', given).update(text).digest('base64url')
  }
  // Editors and environment variables keep a PEM text in one line
  const key = createPrivateKey(given.replaceAll('\\n', '\n'))
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (algorithm === 'RS256') {
    if (key.asymmetricKeyType !== 'rsa' || modulusLength < 2048)
      throw new Error('it needs an RSA key of at least 2048 bits')
    return sign('sha256', Buffer.from(text), key).toString('base64url')
  }
  if (key.asymmetricKeyType !== 'ec' || namedCurve !== 'prime256v1')
    throw new Error('it needs a key of the curve P-256')
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

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
      return {
        headers: { Authorization: `Bearer ${text}` },
        query: {},
        expires: expires - marginSeconds,
        credentials: [],
      }
    },
  })
