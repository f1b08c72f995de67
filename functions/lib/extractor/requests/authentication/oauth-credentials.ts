import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { OAuthCredentials } from '../../config/authentication-schema.ts'

interface Credentials {
  data: string
  clientId: string
  clientSecret: string
}

/** @throws UserError `extractor.authentication.oauth` naming what is missing */
export const requireCredentials = (
  credentials: OAuthCredentials | undefined,
  version: '1.0' | '2.0',
): Credentials => {
  if (credentials === undefined) {
    throw new UserError(
      'extractor.authentication.oauth',
      'OAuth API credentials not supplied in configuration.',
    )
  }
  const need = (key: '#data' | 'appKey' | '#appSecret'): string => {
    const value = credentials[key]
    if (value) return value
    throw new UserError(
      'extractor.authentication.oauth',
      `Missing '${key}' for OAuth ${version} authorization.`,
    )
  }
  return { data: need('#data'), clientId: need('appKey'), clientSecret: need('#appSecret') }
}

/** The stored `#data` as JSON. */
export const parseData = (data: string): Json => {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new UserError('extractor.authentication.oauth', 'The OAuth data is not a valid JSON', { cause })
  }
}
