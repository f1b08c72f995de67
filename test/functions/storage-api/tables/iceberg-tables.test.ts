import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'
import { createTableViews, inOrder, type Row } from '#support/table-views.ts'

const { service, bucketId, newName, load } = await startTableRoutes()

const { icebirdView, icebergView, exportView } = createTableViews(service)

const submit = async (method: string, path: string, body?: unknown) => {
  const { body: job } = await service.call(method, `/v2/storage${path}`, body)
  expect(job).toMatchObject({ status: 'success' })
  return job
}

/** A table that is changed through the routes, and beside it what it must hold. */
const startTable = async (isKeyed: boolean) => {
  const tableId = await service.createTable(
    bucketId,
    newName(),
    'id,a\n0,first\n',
    isKeyed ? { primaryKey: 'id' } : {},
  )
  let columns = ['id', 'a']
  let rows: Row[] = [{ id: '0', a: 'first' }]
  let added = 0

  const emptyRow = (): Row => Object.fromEntries(columns.map(name => [name, '']))

  const steps = {
    async load(ids: number[], incremental: boolean) {
      const loaded = ids.map(id => ({
        ...Object.fromEntries(columns.map(name => [name, `${name}${added}`])),
        id: String(id),
      })) as Row[]
      added++
      const csv = [columns, ...loaded.map(row => columns.map(name => row[name]))].map(cells => `${cells}\n`)
      const dataFileId = await service.upload(csv.join(''))
      const { body: job } = await load(tableId, { dataFileId, incremental: incremental ? 1 : 0 })
      expect(job.status).toBe('success')
      const all = incremental ? [...rows, ...loaded] : loaded
      rows = isKeyed ? [...new Map(all.map(row => [row['id'], row])).values()] : all
    },
    async deleteRows(id: number) {
      const query = `whereColumn=id&whereValues[]=${id}`
      await submit('DELETE', `/tables/${tableId}/rows?${query}`)
      rows = rows.filter(row => row['id'] !== String(id))
    },
    async addColumn() {
      const name = ['a', 'b', 'c'].find(free => !columns.includes(free))
      if (!name) return
      await submit('POST', `/tables/${tableId}/columns`, { name })
      columns = [...columns, name]
      rows = rows.map(row => ({ ...emptyRow(), ...row }))
    },
    async dropColumn() {
      const name = columns.at(-1)
      if (name === undefined || name === 'id') return
      await submit('DELETE', `/tables/${tableId}/columns/${name}`)
      columns = columns.slice(0, -1)
      rows = rows.map(({ [name]: _, ...row }) => row)
    },
    async restore() {
      const { results } = await submit('POST', `/tables/${tableId}/snapshots`, {})
      const name = newName()
      await submit('POST', `/buckets/${bucketId}/tables-async`, { name, snapshotId: results.id })
      expect(await icebirdView(`${bucketId}.${name}`)).toEqual(inOrder(rows))
    },
  }
  return { tableId, steps, expected: () => inOrder(rows) }
}

type Steps = Awaited<ReturnType<typeof startTable>>['steps']

const id = fc.nat(6)
const step: fc.Arbitrary<(steps: Steps) => Promise<void>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.array(id, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 4 })).map(
      ([ids, kind]) =>
        (steps: Steps) =>
          steps.load(ids, kind > 0),
    ),
  },
  { weight: 2, arbitrary: id.map(one => (steps: Steps) => steps.deleteRows(one)) },
  { weight: 1, arbitrary: fc.constant((steps: Steps) => steps.addColumn()) },
  { weight: 1, arbitrary: fc.constant((steps: Steps) => steps.dropColumn()) },
  { weight: 1, arbitrary: fc.constant((steps: Steps) => steps.restore()) },
)

it('after any sequence of requests icebird, the export and the model agree', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 3, maxLength: 8 }),
      async (isKeyed, sequence) => {
        const { tableId, steps, expected } = await startTable(isKeyed)
        for (const take of sequence) await take(steps)
        expect(await icebirdView(tableId)).toEqual(expected())
        expect(await icebergView(tableId)).toEqual(expected())
        expect(await exportView(tableId)).toEqual(expected())
      },
    ),
    { numRuns: 5 },
  )
})

it('after a compaction icebird and the export agree', async () => {
  const { tableId, steps, expected } = await startTable(false)
  for (let load = 0; load < 18; load++) await steps.load([load], true)
  expect((await service.stores.tables.get(tableId))?.snapshot.files.length).toBeLessThan(18)
  expect(await icebirdView(tableId)).toEqual(expected())
  expect(await exportView(tableId)).toEqual(expected())
})

it('a list of tables and the detail of one read no metadata', async () => {
  const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
  const head = await service.stores.tables.getHead(tableId)
  await service.s3.send(new DeleteObjectCommand({ Bucket: service.tablesBucket, Key: head?.metadataKey }))
  const { body: list } = await service.call('GET', `/v2/storage/buckets/${bucketId}/tables`)
  expect(list.find((table: { id: string }) => table.id === tableId)).toMatchObject({ rowsCount: 1 })
  expect((await service.call('GET', `/v2/storage/tables/${tableId}`)).body).toMatchObject({ columns: ['a'] })
})

it('the content at a time is what the table was then, until it expires', async () => {
  const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
  const table = async () => {
    const found = await service.stores.tables.get(tableId)
    if (!found) throw new Error('the table is gone')
    return found
  }
  const first = await table()
  await submit('POST', `/tables/${tableId}/columns`, { name: 'b' })
  await load(tableId, { dataFileId: await service.upload('a,b\n2,x\n'), incremental: 1 })
  const at = async (time: string | null) =>
    service.stores.tables.contentAt(await table(), new Date(time ?? 0))
  expect(await at(first.lastChangeDate)).toEqual({
    snapshot: { ...first.snapshot, lastFieldId: 3 },
    isWhole: true,
  })
  expect(await at((await table()).lastChangeDate)).toEqual({
    snapshot: (await table()).snapshot,
    isWhole: true,
  })
  expect(await at('2020-01-01T00:00:00Z')).toBeUndefined()

  const later = new Date(Date.now() + 8 * 86_400_000)
  expect(await service.stores.tables.expireSnapshots(bucketId, later)).toBeGreaterThan(0)
  expect(await at(first.lastChangeDate)).toBeUndefined()
  expect((await table()).snapshot.rowsCount).toBe(2)
  expect((await table()).revision).toBe(3)
})
