import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import type { Load } from './model.ts'
import { awaitJob, submitLoad } from './operations.ts'
import { startWorld } from './world.ts'

const ROWS = 6

const world = await untilEnd(startWorld())

it(`a large load that dies ${chosenKills}, and is asked for again, counts once and in its place`, async () => {
  const { service } = world
  const bucketId = await service.createBucket('loads')
  const dataFileId = await service.upload('id,v\n')
  const path = `/v2/storage/buckets/${bucketId}/tables-async`
  await service.call('POST', path, { name: 'keyed', dataFileId, primaryKey: 'id' })
  await world.runOpenJobs()
  const tableId = `${bucketId}.keyed`
  service.jobServices.distribution.singleLoadBytes = 40
  service.jobServices.pieces.rangeBytes = 60
  const loads: Load[] = []
  const { writes } = await killAtWrites(world, async attempt => {
    const order = loads.length + 1
    // Each row is there twice, and the last one counts.
    const rows = Array.from({ length: ROWS }, (_, index) => [`${order + index}`, `${order}`])
    const lines = [...rows.map(([id]) => `${id},"old\n"`), ...rows.map(([id, value]) => `${id},"${value}"`)]
    const fileId = await service.upload(gzipSync(`id,v\n${lines.join('\n')}\n`))
    await attempt(async () => {
      const load = { tableId, fileId, incremental: true, idempotencyKey: `load-${order}` }
      expect(await awaitJob(world, await submitLoad(world, load))).toBe('success')
    })
    loads.push({ name: `load ${order}`, mode: 'incremental', rows, order, state: 'done' })
    return { tables: [{ name: tableId, key: [0], loads }] }
  })
  expect(writes).toBeGreaterThanOrEqual(20)
})
