import { GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { chosenKills } from '../support/choose-kills.ts'
import { killAtWrites } from './kill-at-writes.ts'
import { awaitJob } from './operations.ts'
import { startWorld } from './world.ts'

const world = await untilEnd(startWorld())

it(`a large export that dies ${chosenKills}, and is asked for again, has each row once`, async () => {
  const { service } = world
  const bucketId = await service.createBucket('exports')
  const dataFileId = await service.upload('id,v\n')
  await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, { name: 'rows', dataFileId })
  await world.runOpenJobs()
  const tableId = `${bucketId}.rows`
  for (const first of [1, 4, 7]) {
    const fileId = await service.upload(`id,v\n${first},c\n${first + 1},b\n${first + 2},a\n`)
    await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, {
      dataFileId: fileId,
      incremental: 1,
    })
    await world.runOpenJobs()
  }
  Object.assign(service.jobServices.distribution, { singleExportBytes: 100, exportPartBytes: 100 })

  const readSlices = async (jobId: number): Promise<string> => {
    const { body: job } = await service.call('GET', `/v2/storage/jobs/${jobId}`)
    const { body: file } = await service.call('GET', `/v2/storage/files/${job.results.file.id}`)
    const record = await service.stores.files.get(file.id)
    const get = async (Bucket: string, Key: string): Promise<string> => {
      const { Body } = await service.s3.send(new GetObjectCommand({ Bucket, Key }))
      return (await Body?.transformToString()) ?? ''
    }
    const manifest: { entries: { url: string }[] } = JSON.parse(
      await get(service.filesBucket, `${record?.key}manifest`),
    )
    const slices: string[] = []
    for (const { url } of manifest.entries)
      slices.push(await get(service.filesBucket, url.replace(`s3://${service.filesBucket}/`, '')))
    return slices.join('')
  }

  let plays = 0
  const { writes } = await killAtWrites(world, async attempt => {
    const key = `export-${++plays}`
    // Another question each time, so that it is not answered with the file of the last one.
    const isOther = { column: 'id', operator: 'ne', values: [key] }
    const question = {
      limit: 7,
      columns: ['v', 'id'],
      whereFilters: [isOther],
    }
    let jobId = 0
    await attempt(async () => {
      const { body } = await world.request('POST', `/tables/${tableId}/export-async`, question, {
        'Idempotency-Key': key,
      })
      jobId = (body as { id: number }).id // A job, as the route's own schema has checked.
      expect(await awaitJob(world, jobId)).toBe('success')
    })
    return {
      others: async () => {
        const rows = await readSlices(jobId)
        const expected = '"c","1"\n"b","2"\n"a","3"\n"c","4"\n"b","5"\n"a","6"\n"c","7"\n'
        return rows === expected ? [] : [`the export has ${JSON.stringify(rows)}`]
      },
    }
  })
  expect(writes).toBeGreaterThanOrEqual(15)
  expect(service.jobLog).toContainEqual(expect.objectContaining({ message: 'Table exported', parts: 3 }))
})
