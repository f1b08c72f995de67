import pMap from 'p-map'
import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'

/** What nothing leads to any more, or does not yet: items of these partitions, whose names are never given twice. */
export interface Left {
  partitions: readonly string[]
}

const cleanUp = z.object({
  partitions: z.array(z.string()),
  state: z.enum(['pending', 'clearing']),
  due: z.string(),
})

const CLEAN_UPS = 'CLEAN_UPS'
const keyOf = ({ partitions }: Left) => ({ pk: CLEAN_UPS, sk: partitions.join(' ') })

/** Whoever has prepared something decides it within seconds. */
const UNDECIDED_MS = 86_400_000
/** Whoever leaves something clears it away himself, unless he dies. */
const LEFT_MS = 60_000
const DELETES_AT_ONCE = 8

/**
 * What is to be cleared away later. It is written before something is prepared, for the case that it is never decided, and with a
 * decision that leaves something: so whoever dies in between leaves nothing for ever. The clock does what is due.
 */
export const createCleanUps = (items: ItemTable, now: () => Date) => {
  const dueIn = (ms: number): string => new Date(now().getTime() + ms).toISOString()

  /** Deletes all items of it. Idempotent. */
  const clear = async (left: Left): Promise<void> => {
    for (const pk of left.partitions) {
      const range = { ...startingWith(''), attributes: ['sk'] }
      const keys = await Array.fromAsync(items.query(pk, range), item => String(item['sk']))
      await pMap(keys, sk => items.delete({ pk, sk }), { concurrency: DELETES_AT_ONCE })
    }
    await items.delete(keyOf(left))
  }

  /** From then on nobody decides it. Resolves to false when somebody has. */
  const claim = async ({ partitions, state, due }: z.infer<typeof cleanUp>): Promise<boolean> =>
    state === 'clearing' ||
    (await items.update(keyOf({ partitions }), { set: { state: 'clearing' } }, { state, due })) !== undefined

  return {
    /** Before something is prepared. The decision has {@link decided} in its transaction. */
    async unlessDecided(left: Left): Promise<void> {
      const item = { ...left, state: 'pending', due: dueIn(UNDECIDED_MS) }
      const isNoted =
        (await items.put(keyOf(left), item, 'absent')) ||
        (await items.put(keyOf(left), item, { state: 'pending' }))
      if (!isNoted)
        throw new TransientError('storage.busy', 'What was prepared before is being cleared away.')
    },

    /** Refused once the clearing has begun. */
    decided: (left: Left): ItemWrite => ({
      action: 'delete',
      key: keyOf(left),
      when: { state: 'pending' },
    }),

    /** For the decision that leaves it. It is cleared at once after that, or by the clock. */
    leaving: (left: Left): ItemWrite => ({
      action: 'put',
      key: keyOf(left),
      item: { ...left, state: 'clearing', due: dueIn(LEFT_MS) },
    }),

    clear,

    /** Clears what is due. Resolves to how many. What cannot be cleared keeps no other from it; then it throws. */
    async clearDue(): Promise<number> {
      let cleared = 0
      const failures: unknown[] = []
      for await (const item of items.query(CLEAN_UPS, startingWith(''))) {
        const left = cleanUp.parse(item)
        if (left.due > now().toISOString() || !(await claim(left))) continue
        await clear(left).then(
          () => cleared++,
          error => failures.push(error),
        )
      }
      if (failures.length > 0) throw failures[0]
      return cleared
    },
  }
}

export type CleanUps = ReturnType<typeof createCleanUps>
