import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { decisions } from './decided-kinds.ts'
import { duels } from './duel-catalogue.ts'
import { newPlace, startArena } from './duels.ts'

const arena = await untilEnd(startArena())

/** What one transaction may hold, of 100 of DynamoDB. */
const MOST = 25

it.each(Object.entries(decisions))('%s: what it writes, and what of it together', async (name, expected) => {
  const [duel = '', place = '0'] = name.split(' / ')
  const run = async (): Promise<void> => {
    const operations = await duels.find(each => each.name === duel)?.of(arena, await newPlace(arena))
    arena.seen.writes.length = 0
    await operations?.[Number(place)]?.()
  }
  // Months are noted once in a process.
  await run()
  await run()
  expect(arena.seen.writes).toEqual(expected)
  for (const write of arena.seen.writes) expect(write.split(', ').length).toBeLessThanOrEqual(MOST)
})
