import { UserError } from '../../lib/errors/errors.ts'
import type { Services } from '../services.ts'

/** Of one token at a time. What is counted takes no longer than the minute in which it counts when its end is not seen. */
const shares = { previews: { most: 2, minutes: 1 }, queries: { most: 4, minutes: 1 } }

/**
 * Takes a place in the share of a token, and gives how to give it back. For what works on a request as long as it lasts.
 *
 * Error: 403 `storage.quotaExceeded`.
 */
export const takeShare = async (
  what: keyof typeof shares,
  tokenId: string,
  { counts }: Pick<Services, 'counts'>,
): Promise<() => Promise<void>> => {
  const share = shares[what]
  const of = `${what} of ${tokenId}`
  if (!(await counts.take(of, share)))
    throw new UserError(
      'storage.quotaExceeded',
      `${share.most} ${what} of this token are under way, which is its share. Wait until one of them has ended.`,
    )
  return () => counts.giveBack(of)
}
