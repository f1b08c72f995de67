import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { duels } from './duel-catalogue.ts'
import { type Defect, playInOrders, playSideBySide, startArena } from './duels.ts'
import { interrupted, MANY, type Turns } from './turns.ts'

const arena = await untilEnd(startArena())

/** A condition of a write, and the operations side by side that need it. */
const needed: readonly (readonly [kind: string, duel: string])[] = [
  ['put IDEMPOTENCY expired', 'a request that comes twice'],
  ['put JOBS is waiting', 'a load, and somebody who cancels it'],
  ['put JOBS is processing,decided', 'an export, and the clock that closes it'],
  ['check QUEUE LEASE absent', 'a load that takes others along, and somebody who cancels one'],
  ['put BUCKET TABLE absent', 'an alias and a creation of one name'],
  ['put BUCKET NAMED absent', 'two creations with one display name'],
  ['put BUCKET TABLE internalId,revision', 'a load and a new name'],
  ['put BUCKET TABLE internalId,revision,metadataKey', 'a load and a new name'],
  ['delete BUCKET TABLE internalId,revision', 'an alias and a drop of its source'],
  ['update BUCKETS id', 'a creation and the deletion of its bucket'],
  ['delete BUCKETS revision', 'a creation and the deletion of its bucket'],
  ['put BUCKETS revision', 'two changes of a bucket'],
  ['put BUCKETS absent', 'two buckets of one name'],
  ['put BUCKETS  absent', 'two buckets with one display name'],
  ['put TOKENS revision', 'two changes of a token'],
  ['put CONFIGS revision', 'two changes of a configuration'],
  ['put FILES revision', 'two tags of a file'],
]

const without =
  (kind: string): Defect =>
  (write, found) => {
    if (found !== kind) return write
    // What only says that an item is there is left out itself.
    const isLook = write.action === 'check' || kind === 'update BUCKETS id'
    return isLook ? undefined : { ...write, when: undefined }
  }

/** One interrupts the other once, at any call; then, where that is not enough, is interrupted itself. */
const interruptions = (calls: readonly number[]): Turns[] => {
  const once = calls.flatMap((made, place) => Array.from({ length: made }, (_, at) => interrupted(place, at)))
  const twice = once.flatMap(([first = [0, 0]]) =>
    Array.from({ length: 12 }, (_, at): Turns => [first, [1 - first[0], 3 * at + 2], [first[0], MANY]]),
  )
  return [...once, ...twice.toReversed()]
}

it.each(needed)('%s is needed: without it %s end as in no order', async (kind, name) => {
  const duel = duels.find(each => each.name === name)
  if (!duel) throw new Error(`There is no duel ${name}`)
  const { ends, calls } = await playInOrders(arena, duel)
  expect([...arena.seen.conditions]).toContain(kind)
  arena.bent.by = without(kind)
  try {
    const found: string[] = []
    for (const turns of interruptions(calls))
      if (found.length === 0) found.push(...(await playSideBySide(arena, duel, ends, turns)))
    expect(found).not.toEqual([])
  } finally {
    arena.bent.by = without('')
  }
})
