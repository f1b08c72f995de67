import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import type { Load } from './model.ts'
import { awaitJob, submitLoad } from './operations.ts'
import { startWorld } from './world.ts'

const FILES = 3

const world = await untilEnd(startWorld())

it(`files that are loaded together, dying ${chosenKills}, each count once and in their order`, async () => {
  const { service } = world
  const bucketId = await service.createBucket('queues')
  const dataFileId = await service.upload('id,v\n')
  const path = `/v2/storage/buckets/${bucketId}/tables-async`
  await service.call('POST', path, { name: 'keyed', dataFileId, primaryKey: 'id' })
  await world.runOpenJobs()
  const tableId = `${bucketId}.keyed`
  const loads: Load[] = []
  const { writes } = await killAtWrites(world, async attempt => {
    const files: { order: number; fileId: number; row: string[] }[] = []
    for (let file = 0; file < FILES; file++) {
      const order = loads.length + files.length + 1
      const row = [`${file}`, `${order}`]
      files.push({ order, row, fileId: await service.upload(`id,v\n${row.join(',')}\n`) })
    }
    await attempt(async () => {
      const jobIds: number[] = []
      for (const { order, fileId } of files)
        jobIds.push(
          await submitLoad(world, { tableId, fileId, incremental: true, idempotencyKey: `q-${order}` }),
        )
      for (const jobId of jobIds) expect(await awaitJob(world, jobId)).toBe('success')
    })
    for (const { order, row } of files)
      loads.push({ name: `load ${order}`, mode: 'incremental', rows: [row], order, state: 'done' })
    return { tables: [{ name: tableId, key: [0], loads }] }
  })
  // Three jobs are accepted, their files loaded by one change of the table, and their ends written.
  expect(writes).toBeGreaterThanOrEqual(20)
})
