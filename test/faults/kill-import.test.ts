import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import { importObject } from './operations.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())

let tables = 0

it(`an import that dies ${chosenKills}, from the hook to the table, is there once`, async () => {
  const rows = [
    ['1', 'a'],
    ['2', 'b'],
  ]
  const { writes } = await killAtWrites(world, async attempt => {
    const bucketId = `in.c-import${++tables}`
    const object = await world.landing.land(`${bucketId}/orders.csv`, 'id,v\n1,a\n2,b\n', {
      incremental: '1',
    })
    await attempt(execution => importObject(world, object, execution))
    const load = { name: 'import', mode: 'incremental' as const, rows, order: 1, state: 'done' as const }
    return { tables: [{ name: `${bucketId}.orders`, key: [], loads: [load] }] }
  })
  expect(writes).toBeGreaterThanOrEqual(15)
})
