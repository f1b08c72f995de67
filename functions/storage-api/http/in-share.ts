import { UserError } from '../../lib/errors/errors.ts'
import type { Services } from '../services/services.ts'

/** At a time. What is counted takes no longer than the minute in which it counts when its end is not seen. */
const shares = {
  previews: { 'this token': 2, 'the project': 20 },
  queries: { 'this token': 4, 'the project': 40 },
}
const minutes = 1

/**
 * Takes a place in the shares of a token and of the project, and gives how to give it back. For what works on a request as long as it lasts.
 *
 * Error: 403 `storage.quotaExceeded`.
 */
export const takeShare = async (
  what: keyof typeof shares,
  tokenId: string,
  { counts }: Pick<Services, 'counts'>,
): Promise<() => Promise<void>> => {
  const taken: string[] = []
  const giveBack = async (): Promise<void> => {
    for (const of of taken) await counts.giveBack(of)
  }
  for (const whose of ['this token', 'the project'] as const) {
    const most = shares[what][whose]
    const of = whose === 'this token' ? `${what} of ${tokenId}` : what
    if (await counts.take(of, { most, minutes })) taken.push(of)
    else {
      await giveBack()
      throw new UserError(
        'storage.quotaExceeded',
        `${most} ${what} of ${whose} are under way, which is its share. Wait until one of them has ended.`,
      )
    }
  }
  return giveBack
}
