import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { isThorough } from '../support/thorough.ts'
import { duels } from './duel-catalogue.ts'
import { playInOrders, playSideBySide, startArena } from './duels.ts'
import { interrupted } from './turns.ts'

const arena = await untilEnd(startArena())

/** Of the calls at which one operation may be interrupted by the other. */
const ONE_IN = isThorough ? 1 : 6

it.each(duels)('$name: ends as one after the other, wherever one interrupts the other', async duel => {
  const { ends, calls, illegal } = await playInOrders(arena, duel)
  const differences = [...illegal]
  for (const [place, made] of calls.entries())
    for (let at = 1; at < made; at += ONE_IN)
      differences.push(...(await playSideBySide(arena, duel, ends, interrupted(place, at))))
  expect(differences).toEqual([])
})
