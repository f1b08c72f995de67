import { z } from 'zod'
import { shortDigest } from '../../digests.ts'
import { TransientError } from '../../errors/errors.ts'
import { expiringIn, type ItemTable, startingWith } from '../../items/item-table.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { type End, isAfter, WHOLE } from './open-failures.ts'

export const PARTITION = 'DEADLETTERS'
/** DynamoDB may drop it after a year: nobody tries again what failed so long ago. */
export const KEPT_DAYS = 365
/** A letter that comes after the success that has mended its work does so within the two days that an execution may last. */
const KEPT_SUCCESS_DAYS = 7

/** The last failure, or the last success, of a subject and scope. */
const keptEnd = z.object({
  subject: z.string(),
  scope: z.string(),
  failed: z.boolean(),
  place: z.string().optional(),
  at: z.string(),
  /** The letter of a failure. */
  id: z.number().optional(),
})

type KeptEnd = z.infer<typeof keptEnd>

/** After the letters, whose keys are digits. */
const prefixOf = (subject: string): string => `ENDS/${shortDigest(subject)}/`

const keyOf = ({ subject, scope, failed, place }: Omit<End, 'at'>) => {
  const kind = `${failed ? 'failure' : 'success'} ${place === undefined ? 'by time' : 'by place'}`
  return { pk: PARTITION, sk: `${prefixOf(subject)}${kind} ${shortDigest(scope)}` }
}

/**
 * What is remembered of ends beside the letters: the last one of each kind.
 *
 * @param isThere whether nobody has deleted the letter
 */
export const createKeptEnds = (items: ItemTable, isThere: (letterId: number) => Promise<boolean>) => ({
  /** Resolves to the end that is no longer the last one of its kind: the one that was kept, or the given one. */
  keep: (end: KeptEnd): Promise<KeptEnd | undefined> =>
    untilWritten(
      () => new TransientError('storage.unavailable', `Too many ends of ${end.subject} at once.`),
      async () => {
        const found = await items.get(keyOf(end))
        const kept = found && keptEnd.parse(found)
        // A failure that was started again or deleted is none any more.
        if (kept && isAfter(kept, end) && (kept.id === undefined || (await isThere(kept.id)))) return end
        const expiry = expiringIn(end.failed ? KEPT_DAYS : KEPT_SUCCESS_DAYS, new Date(end.at))
        const when = kept === undefined ? 'absent' : { at: kept.at, id: kept.id }
        return (await items.put(keyOf(end), { ...end, ...expiry }, when)) ? kept : OVERTAKEN
      },
    ),

  of: (subject: string): Promise<KeptEnd[]> =>
    Array.fromAsync(items.query(PARTITION, startingWith(prefixOf(subject))), item => keptEnd.parse(item)),

  /** What may have replaced or mended these failures. */
  async about(failures: readonly End[]): Promise<KeptEnd[]> {
    const keys = failures.flatMap(end => [
      keyOf(end),
      ...[WHOLE, end.scope].flatMap(scope =>
        ['', undefined].map(place => keyOf({ ...end, scope, place, failed: false })),
      ),
    ])
    const found = await items.getMany([...new Map(keys.map(key => [key.sk, key])).values()])
    return found.map(item => keptEnd.parse(item))
  },

  forget: (end: KeptEnd): Promise<boolean> => items.delete(keyOf(end), { id: end.id }),
})
