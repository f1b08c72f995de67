import { host } from './host.ts'
import type { ReadSecret } from './secrets.ts'

/** Secrets Manager is loaded where there is no host. */
export const readSecret: ReadSecret = async (secretArn, stage) => {
  const read = host().readSecret ?? (await import('./secrets-manager.ts')).readFromSecretsManager
  return read(secretArn, stage)
}
