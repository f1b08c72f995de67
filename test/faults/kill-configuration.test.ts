import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { openConfigurations } from './configurations.ts'
import { killAtWrites } from './kill-at-writes.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())
const configurations = openConfigurations(world)

let configs = 0

it(`a configuration and its rows, dying ${chosenKills}, have dense versions and lose nothing`, async () => {
  const { writes } = await killAtWrites(world, async attempt => {
    const configId = `c${++configs}`
    const configuration = await configurations.create(configId)
    // A client that got no answer asks again.
    await attempt(async () => {
      await configuration.write('updated', { configuration: { a: 1 } })
      await configuration.write('row added', { rowId: 'r', name: 'row' }, 'rows')
      await configuration.write('row changed', { configuration: { b: 1 } }, 'rows/r')
    })
    return { others: configuration.differences }
  })
  expect(writes).toBeGreaterThanOrEqual(6)
})
