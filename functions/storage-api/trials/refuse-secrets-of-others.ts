import { UserError } from '../../lib/errors/errors.ts'
import { listSecrets } from '../../lib/storage/secrets/map-secrets.ts'
import { isSealed, parseSealed } from '../../lib/storage/secrets/sealed-secret.ts'
import { rightsOf } from '../../lib/storage/tokens/rights.ts'
import type { Caller, Services } from '../services/services.ts'

interface Tried {
  /** What is tried, its secrets sealed. */
  value: unknown
  /** The tokens that wrote it. */
  writers: Iterable<string>
  caller: Caller
}

/**
 * Whoever writes what stands around a secret says where it is sent and what is made of it. So a trial opens a secret for
 * its author alone, whom the sealed value names, and for those who manage all buckets; and for what only these have written.
 *
 * Error: 400 `secrets.notOpened`
 */
export const refuseSecretsOfOthers = async (
  { value, writers, caller }: Tried,
  { tokens, now }: Pick<Services, 'tokens' | 'now'>,
): Promise<void> => {
  const sealed = (await listSecrets(value)).filter(isSealed)
  if (sealed.length === 0) return
  const managesAll = async (id: string): Promise<boolean> => {
    if (id === caller.tokenId) return caller.canManageBuckets
    if (id === caller.masterId) return true
    return rightsOf(await tokens.get(Number(id)), now()).canManageBuckets
  }
  const authors = new Set(sealed.map(secret => parseSealed(secret)?.context.tokenId))
  for (const writer of new Set(writers)) {
    const isAuthorOfAll = [...authors].every(author => author === writer)
    if (isAuthorOfAll || (await managesAll(writer))) continue
    throw new UserError(
      'secrets.notOpened',
      `A secret of the configuration was stored by another token than ${writer}, which wrote a part of what is tried and does ` +
        'not manage all buckets: a trial could show it. Enter the secret again, or run the configuration.',
    )
  }
}
