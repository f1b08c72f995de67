import { expect, it } from 'vitest'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, bucketId, run, execute, jobOf, createTable, rowsOf, submitImport } = await startJobsByHand()

const nameOf = (tableId: string) => tableId.slice(bucketId.length + 1)
const post = async (path: string, body: object = {}): Promise<number> =>
  (await service.call('POST', `/v2/storage/${path}`, body)).body.id

it('rule 4, incarnations: a job that was accepted for a table is refused by another one that has its name', async () => {
  const tableId = await createTable()
  const exported = await post(`tables/${tableId}/export-async`)
  const creates = await service.upload('n\n7\n')
  // Loads into whatever has the name, and makes it where nothing has.
  const either = await post(`buckets/${bucketId}/tables-async`, {
    name: nameOf(tableId),
    dataFileId: creates,
    ifExists: 'load',
    incremental: 1,
  })
  const meant = await submitImport(tableId, 'n\n1\n')
  await service.call('DELETE', `/v2/storage/tables/${tableId}`)
  for (const jobId of [either, meant, exported]) await execute(jobId)
  expect((await jobOf(either)).status).toBe('success')
  for (const jobId of [meant, exported])
    expect((await jobOf(jobId)).error).toMatchObject({
      code: 'storage.tables.notFound',
      message: expect.stringContaining('another one has its name'),
    })
  expect(await rowsOf(tableId)).toEqual(['"7"'])
  await execute(await submitImport(tableId, 'n\n8\n'))
  expect(await rowsOf(tableId)).toEqual(['"7"', '"8"'])
})

it('rule 12, a swap has a place in both queues: it waits until it is first in both, and what is behind it finds the other rows', async () => {
  const [one, other] = [await createTable(), await createTable()]
  const before = await submitImport(other, 'n\n2\n')
  const swap = await post(`tables/${one}/swap`, { targetTableId: other })
  const behind = await submitImport(one, 'n\n1\n')
  expect(await run(behind)).toMatchObject({ status: 'blocked' })
  expect(await run(swap)).toMatchObject({ status: 'blocked' })
  expect([await service.stores.queue.lease(one), await service.stores.queue.lease(other)]).toEqual([
    undefined,
    undefined,
  ])
  for (const jobId of [before, swap, behind]) await execute(jobId)
  expect(await rowsOf(one)).toEqual(['"0"', '"2"', '"1"'])
  expect(await rowsOf(other)).toEqual(['"0"'])
  const heads = await Promise.all([one, other].map(id => service.stores.tables.getHead(id)))
  const [changed = '', swapped = ''] = heads.map(head => head?.lastChangeDate ?? '')
  expect(changed > swapped).toBe(true)
})

it('rule 4, incarnations: who may read a bucket reads nothing of the next one of its name, nor does what is left of the old one come back', async () => {
  const gone = await service.createBucket('again')
  const { body: token } = await service.call('POST', '/v2/storage/tokens', {
    description: 'old',
    bucketPermissions: { [gone]: 'read' },
  })
  const path = `/v2/storage/buckets/${gone}`
  const metadata = [{ key: 'k', value: 'old' }]
  await service.call('POST', `${path}/metadata`, { provider: 'me', metadata })
  const dataFileId = await service.upload('n\n1\n')
  const fill = async () => execute(await post(`buckets/${gone}/tables-async`, { name: 't', dataFileId }))
  await fill()
  await service.call('POST', `/v2/storage/tables/${gone}.t/metadata`, { provider: 'me', metadata })
  await execute((await service.call('DELETE', `${path}?force=1&async=1`)).body.id)

  await service.createBucket('again')
  await fill()
  const asOld = { 'X-StorageApi-Token': token.token }
  expect((await service.call('GET', path, undefined, asOld)).status).toBe(403)
  expect(
    (await service.call('GET', `/v2/storage/tables/${gone}.t/data-preview`, undefined, asOld)).status,
  ).toBe(403)
  expect((await service.call('GET', `${path}/metadata`)).body).toEqual([])
  expect((await service.call('GET', `/v2/storage/tables/${gone}.t/metadata`)).body).toEqual([])
  expect(await rowsOf(`${gone}.t`)).toEqual(['"1"'])
})

it('rule 6, configurations have incarnations, too: one that is made again has nothing of the one before, and a copy outlives it', async () => {
  const at = '/v2/storage/components/ex-generic-v2/configs'
  const make = () =>
    service.call('POST', at, { configurationId: 'c', name: 'c', configuration: '{"parameters":{"of":"c"}}' })
  await make()
  await service.call('POST', `${at}/c/rows`, {
    rowId: 'r',
    name: 'r',
    configuration: '{"parameters":{"n":1}}',
  })
  await service.call('PUT', `${at}/c/state`, { state: '{"component":{"at":1}}' })
  const { body: copied } = await service.call('POST', `${at}/c/versions/2/create`, { name: 'copy' })
  await service.call('DELETE', `${at}/c`)
  await service.call('DELETE', `${at}/c`)
  expect((await service.call('GET', `${at}/c`)).status).toBe(404)

  await make()
  const { body: again } = await service.call('GET', `${at}/c`)
  expect([again.version, again.rows]).toEqual([1, []])
  expect(JSON.stringify(again.state)).toBe('{}')
  expect((await service.call('GET', `${at}/c/versions`)).body).toHaveLength(1)
  const { body: copy } = await service.call('GET', `${at}/${copied.id}`)
  expect(copy.rows[0].configuration).toEqual({ parameters: { n: 1 } })
})
