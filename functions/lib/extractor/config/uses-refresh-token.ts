import { isObject } from '../../json/json-value.ts'

export const usesRefreshToken = (config: Record<string, unknown>): boolean => {
  const { parameters } = config
  return isObject(parameters) && [parameters['api'], parameters['config']].some(hasGrant)
}

/** In `authentication`, of the API or of jobs at any depth. */
const hasGrant = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasGrant)
  if (!isObject(value)) return false
  const { authentication, jobs, children } = value as Record<string, unknown>
  return (
    (isObject(authentication) && authentication['grant'] === 'refresh_token') ||
    [jobs, children].some(hasGrant)
  )
}
