import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { toText } from '../../values/php/php-values.ts'

/** A refresh token that took the place of a configured one. Its keys begin with `#`: they are sealed where a state is stored. */
export interface ReplacedToken {
  '#configured': string
  '#current': string
}

/**
 * The refresh tokens of a configuration. Many servers end a refresh token when it is used and give a new one: then the
 * configured one is good for one run only, and the new one has to outlive the run (RFC 6749, 6).
 */
export interface RefreshTokens {
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
