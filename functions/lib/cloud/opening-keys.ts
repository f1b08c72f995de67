import { host } from './host.ts'
import type { OpeningKeys } from './keys.ts'

/** KMS is loaded where there is no host. Whoever opens holds no request that seals: its role has no right to. */
export const openingKeys: OpeningKeys = {
  decrypt: async (...given) => (host().keys ?? (await import('./kms-open.ts'))).decrypt(...given),
}
