import { isObject } from '../php/php-values.ts'

export const usesRefreshToken = (config: Record<string, unknown>): boolean => {
  const { parameters } = config
  const api = isObject(parameters) ? parameters['api'] : undefined
  const authentication = isObject(api) ? api['authentication'] : undefined
  return isObject(authentication) && authentication['grant'] === 'refresh_token'
}
