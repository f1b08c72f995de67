import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import type { Load } from './model.ts'
import { awaitJob, submitLoad } from './operations.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())

it(`a keyed load that dies ${chosenKills}, and is asked for again, counts once and in its place`, async () => {
  const { service } = world
  const tableId = await createKeyedTable()
  const loads: Load[] = []
  const { writes } = await killAtWrites(world, async attempt => {
    const order = loads.length + 1
    const fileId = await service.upload(`id,v\n1,${order}\n${order},${order}\n`)
    await attempt(async () => {
      const load = { tableId, fileId, incremental: true, idempotencyKey: `load-${order}` }
      expect(await awaitJob(world, await submitLoad(world, load))).toBe('success')
    })
    const rows = order === 1 ? [['1', '1']] : ['1', `${order}`].map(id => [id, `${order}`])
    loads.push({ name: `load ${order}`, mode: 'incremental', rows, order, state: 'done' })
    return { tables: [{ name: tableId, key: [0], loads }] }
  })
  expect(writes).toBeGreaterThanOrEqual(9)
})

const createKeyedTable = async (): Promise<string> => {
  const bucketId = await world.service.createBucket('loads')
  const dataFileId = await world.service.upload('id,v\n')
  await world.service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
    name: 'keyed',
    dataFileId,
    primaryKey: 'id',
  })
  await world.runOpenJobs()
  return `${bucketId}.keyed`
}
