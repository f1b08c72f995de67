import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import { fileDifferences } from './model.ts'
import { exportTable, readExport } from './operations.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())
const bucketId = await world.service.createBucket('exports')

let tables = 0

it(`an export that dies ${chosenKills}, from the request to the object, becomes the same object`, async () => {
  const { service } = world
  const { writes } = await killAtWrites(world, async attempt => {
    const name = `orders${++tables}`
    const dataFileId = await service.upload('id,v\n1,a\n2,b\n')
    await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, { name, dataFileId })
    await world.runOpenJobs()
    const key = `${name}.csv`
    await attempt(execution => exportTable(world, { tableId: `${bucketId}.${name}`, key }, execution))
    const expected = Buffer.from('"id","v"\n"1","a"\n"2","b"\n')
    return { others: async () => fileDifferences(key, expected, await readExport(world, key)) }
  })
  expect(writes).toBeGreaterThanOrEqual(15)
})
