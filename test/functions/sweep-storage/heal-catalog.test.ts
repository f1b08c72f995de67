import { afterAll, beforeAll, expect, it } from 'vitest'
import { pageSizes } from '#functions/sweep-storage/page.ts'
import { sweepStorage } from '#functions/sweep-storage/sweep-storage.ts'
import { type MergeWorld, startMergeWorld, tableId } from '../merge-by-query/merge-world.ts'

let world: MergeWorld
const logged: unknown[] = []
beforeAll(async () => {
  world = await startMergeWorld()
  const at = new Date().toISOString()
  await world.stores.buckets.insert({
    id: 'in.c-main',
    stage: 'in',
    name: 'c-main',
    displayName: 'main',
    description: '',
    color: null,
    created: at,
    updated: at,
    deletingUntil: null,
    revision: 1,
  })
  await world.createTable(['id', 'amount'], [[{ id: '1', amount: '10' }]])
  await world.merge(await world.stage([[{ id: '1', amount: '11' }]]))
})
afterAll(() => world.close())

/** Pages of one table each, and an invocation for each page. Resolves to what each has dropped. */
const heal = async (): Promise<number[]> => {
  const services = {
    ...world.merging,
    ...world.stores,
    s3: world.s3,
    tablesBucket: world.tablesBucket,
    filesBucket: 'files',
    pageSizes: { ...pageSizes, catalog: 1 },
    log: { error: (message: string) => logged.push(message) },
  }
  const swept: number[] = []
  for (let isWhole = false; !isWhole; ) {
    const page = await sweepStorage('catalog', services, () => true)
    swept.push(page.swept)
    isWhole = page.isWhole
  }
  return swept
}
const names = async () => {
  const found: string[] = []
  for await (const { name } of world.catalog.list()) found.push(name)
  return found.sort()
}

it('brings a pointer that a crash left behind to the head, and drops what ended loads and deleted tables left', async () => {
  const table = await world.stores.tables.get(tableId)
  if (!table?.metadataKey) throw new Error('There is no table')
  const { objects, metadataFile } = world.stores.tableContents
  const current = await metadataFile(table.metadataKey)
  const previous = current.metadata['metadata-log'].at(-1)?.['metadata-file'] ?? ''
  const old = await metadataFile(objects.keyOf(previous))
  const found = await world.catalog.find(table.glueName ?? '')
  expect(found && (await world.catalog.move(found, old))).toBe(true)
  for (const name of ['merge_12', 'staging_12', 'in_c_main__gone_99', 'my_own_table'])
    await world.catalog.create(name, current)

  // A page heals the one table, the next finds no other, then one goes with each.
  expect(await heal()).toEqual([0, 0, 1, 1, 1, 0])
  const { head, glue } = await world.pointers()
  expect(glue).toBe(head)
  expect(await names()).toEqual(['in_c_main__orders_7', 'my_own_table'])
  expect(await heal()).toEqual([0, 0, 0])
  expect(logged).toEqual([])
})

it('keeps the tables of a load that is under way', async () => {
  const { nextId, jobs } = world.stores
  const job = await jobs.create(nextId, id => ({
    id,
    status: 'waiting' as const,
    input: { operationName: 'tableDrop' as const, tableId, force: false },
    queueTableId: null,
    tableId: null,
    operationParams: {},
    createdTime: new Date().toISOString(),
    runId: null,
    creatorToken: { id: '1', description: 'test' },
    baseUrl: 'http://localhost',
    requestKey: null,
  }))
  const { metadataKey = '' } = (await world.stores.tables.get(tableId)) ?? {}
  await world.catalog.create(`merge_${job.id}`, await world.stores.tableContents.metadataFile(metadataKey))
  expect(await heal()).toEqual([0, 0, 0])
  expect(await names()).toContain(`merge_${job.id}`)
  await jobs.fail(job, new Date(), {
    error: { code: 'c', message: 'm', exceptionId: 'e', contextParams: {} },
  })
  expect(await heal()).toEqual([0, 0, 1, 0])
})

it('drops a table from Glue with the table', async () => {
  const table = await world.stores.tables.getHead(tableId)
  if (!table) throw new Error('There is no table')
  await world.stores.tables.delete(table)
  expect(await names()).toEqual(['my_own_table'])
})
