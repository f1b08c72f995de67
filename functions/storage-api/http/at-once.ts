import { UserError } from '../../lib/errors/errors.ts'
import type { Caller, Services } from '../services/services.ts'

/** What is counted takes no longer than the minute in which it counts when its end is not seen. */
const mostAtOnce = {
  previews: { 'this token': 2, 'the project': 20 },
  queries: { 'this token': 4, 'the project': 40 },
}
const minutes = 1

const MOST_OF_ONE = 100

/** Bounds what one token may have of a kind whose list is read as a whole. Error: 429 `storage.tooManyAtOnce`. */
export const refuseHoarding = (
  what: 'workspaces' | 'triggers',
  all: readonly { creatorToken: { id: string } }[],
  { tokenId }: Pick<Caller, 'tokenId'>,
): void => {
  if (all.filter(({ creatorToken }) => creatorToken.id === tokenId).length >= MOST_OF_ONE)
    throw new UserError(
      'storage.tooManyAtOnce',
      `A token has ${MOST_OF_ONE} ${what} at most. Delete one that nobody needs any more.`,
    )
}

/**
 * Bounds how many requests of a kind are worked on at once, of a token and of the project: the work has a place while it runs.
 *
 * Error: 429 `storage.tooManyAtOnce`.
 */
export const inPlace = async <Result>(
  what: keyof typeof mostAtOnce,
  { caller: { tokenId } }: { caller: Pick<Caller, 'tokenId'> },
  { counts }: Services,
  work: () => Promise<Result>,
): Promise<Result> => {
  const taken: string[] = []
  try {
    for (const whose of ['this token', 'the project'] as const) {
      const most = mostAtOnce[what][whose]
      const of = whose === 'this token' ? `${what} of ${tokenId}` : what
      if (!(await counts.take(of, { most, minutes })))
        throw new UserError(
          'storage.tooManyAtOnce',
          `${most} ${what} of ${whose} are under way, and more are not done at once. Wait until one of them has ended.`,
        )
      taken.push(of)
    }
    return await work()
  } finally {
    for (const of of taken) await counts.giveBack(of)
  }
}
