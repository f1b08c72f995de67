import { expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('time-travel')

const rowsOf = async (tableId: string): Promise<string[]> =>
  (await target.call('GET', `tables/${tableId}/data-preview`)).text.trimEnd().split('\n').slice(1).toSorted()

/** Between two changes. Not in whole seconds, which mean the end of theirs. */
const between = (): string => {
  const now = Date.now()
  return new Date(now % 1000 === 0 ? now + 1 : now).toISOString()
}

it('a table is created as another one was, in the same bucket or in another', async () => {
  const { results: source } = await target.job('POST', `buckets/${bucketId}/tables-async`, {
    name: 'source',
    primaryKey: 'id',
    dataFileId: await target.upload('id,city\n1,Brno\n2,Oslo\n'),
  })
  const timestamp = between()
  const dataFileId = await target.upload('id,city,country\n1,Paris,FR\n')
  await target.job('POST', `tables/${source.id}/import-async`, { dataFileId })
  expect(await rowsOf(source.id)).toEqual(['"1","Paris","FR"'])

  const other = await target.createBucket('time-travel-2')
  for (const bucket of [bucketId, other]) {
    const form = new URLSearchParams({ name: 'restored', sourceTableId: source.id, timestamp })
    const job = await target.job('POST', `buckets/${bucket}/tables-async`, form)
    expect(job).toMatchObject({
      status: 'success',
      operationName: 'tableCreate',
      operationParams: {
        source: { sourceTableId: source.id, destinationTableName: 'restored', type: 'timeTravel' },
      },
      results: { id: `${bucket}.restored`, columns: ['id', 'city'], primaryKey: ['id'], rowsCount: 2 },
    })
    expect(await rowsOf(`${bucket}.restored`)).toEqual(['"1","Brno"', '"2","Oslo"'])
  }
})
