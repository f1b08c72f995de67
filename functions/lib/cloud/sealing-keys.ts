import { host } from './host.ts'
import type { SealingKeys } from './keys.ts'

/** KMS is loaded where there is no host. Whoever seals holds no request that opens: its role has no right to. */
export const sealingKeys: SealingKeys = {
  encrypt: async (...given) => (host().keys ?? (await import('./kms-seal.ts'))).encrypt(...given),
  dataKey: async (...given) => (host().keys ?? (await import('./kms-seal.ts'))).dataKey(...given),
}
