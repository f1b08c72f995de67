import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetTablesCommand, GlueClient } from '@aws-sdk/client-glue'
import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { createTableRequests } from '#lib/aws/table-requests.ts'
import { createMergeNotes } from '#lib/distributed/merge-notes.ts'
import { createGlueCatalog } from '#lib/iceberg/glue/glue-catalog.ts'
import { createItemTable } from '#lib/storage/db/item-table.ts'
import { createStorageStores } from '#lib/storage/storage-stores.ts'
import { openDuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { emptySnapshot } from '#lib/table-engine/files/snapshot.ts'
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { s3Of } from '#support/cloud-clients.ts'
import { eventually } from '#support/eventually.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { storeRows } from '#support/store-rows.ts'

const at = '2026-01-01T00:00:00.000Z'
const change = [
  { id: '1', amount: '11' },
  { id: '3', amount: '30' },
]

it('a load that is staged is merged by Athena, through the machine, in the rights of its functions', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'millrace-merge-flow-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  const cloud = await startEmbeddedCloud({ dataDir: join(folder, 'data') })
  cleanUp.defer(() => cloud.close())
  const { region, accessKeyId, secretAccessKey } = cloud
  const shared = { region, credentials: { accessKeyId, secretAccessKey } }
  const s3 = s3Of(cloud)
  const glue = new GlueClient({ ...shared, endpoint: cloud.control })
  const dynamodb = new DynamoDBClient({ ...shared, endpoint: cloud.dynamodb })
  for (const client of [s3, glue, dynamodb]) cleanUp.defer(() => client.destroy())
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
  const tablesBucket = Buckets.find(({ Name }) => Name?.includes('tables'))?.Name ?? ''
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}))
  const itemsTable = TableNames.find(name => /storage.*items/i.test(name)) ?? ''
  const catalog = createGlueCatalog(glue, 'millrace_1')
  const stores = createStorageStores({
    items: createItemTable(createTableRequests({ ...shared, endpoint: cloud.dynamodb }), itemsTable),
    s3,
    tablesBucket,
    catalog,
    now: () => new Date(),
  })
  const session = await openDuckDbSession({
    scratchDir: join(folder, 'scratch'),
    memoryLimitMiB: 256,
    threads: 1,
  })
  cleanUp.defer(() => session.close())
  const target = { session, s3, tablesBucket }

  const empty = emptySnapshot(['id', 'amount'], ['id'])
  const rows = [
    { id: '1', amount: '10' },
    { id: '2', amount: '20' },
  ]
  const file = await storeRows(target, {
    key: 'tables/7/1/a.parquet',
    rows,
    fields: empty.fields,
    loadedAt: new Date(at),
  })
  const lastLoad = {
    jobId: 1,
    importedColumns: ['id', 'amount'],
    importedRowsCount: 2,
    warnings: [],
    inBytes: 0,
    isCompressed: false,
    durationSeconds: 0,
  }
  const created = await fetch(`${cloud.api}/v2/storage/buckets`, {
    method: 'POST',
    headers: { 'X-StorageApi-Token': cloud.token ?? '', 'Content-Type': 'application/json' },
    body: JSON.stringify({ stage: 'in', name: 'main' }),
  })
  expect(created.status).toBe(201)
  await stores.tables.insert({
    internalId: 7,
    bucketId: 'in.c-main',
    name: 'orders',
    displayName: 'orders',
    created: at,
    lastImportDate: at,
    lastChangeDate: at,
    lastLoad,
    snapshot: { ...empty, files: [file], rowsCount: 2, dataSizeBytes: file.bytes },
    revision: 1,
  })
  const tableId = 'in.c-main.orders'
  const job = await stores.jobs.create(
    stores.nextId,
    id =>
      ({
        id,
        status: 'waiting',
        input: {
          operationName: 'tableImport',
          tableId,
          fileId: 1,
          incremental: true,
          csv: { delimiter: ',', enclosure: '"', escapedBy: '' },
        },
        queueTableId: tableId,
        tableId,
        operationParams: {},
        createdTime: new Date().toISOString(),
        runId: String(id),
        creatorToken: { id: '1', description: 'test' },
        baseUrl: cloud.api,
        requestKey: null,
      }) as never,
  )
  const loadedAt = new Date('2026-02-01T00:00:00.000Z')
  const staged = await storeRows(target, {
    key: `tables/staging/${job.id}/part.parquet`,
    rows: change,
    fields: empty.fields,
    loadedAt,
    range: 0,
  })
  await createMergeNotes(s3, tablesBucket).writeStaged(
    { jobId: job.id, tableId, incremental: true, fields: empty.fields, files: [staged] },
    {
      lastFieldId: empty.lastFieldId,
      lastLoad: { ...lastLoad, jobId: job.id },
      loadedAt: loadedAt.toISOString(),
    },
  )

  expect(await cloud.execute('job', { jobId: job.id })).toMatchObject({ status: 'SUCCEEDED' })
  expect(await stores.jobs.get(job.id)).toMatchObject({ status: 'success', results: { totalRowsCount: 3 } })
  const table = await stores.tables.getHead(tableId)
  const { objects } = stores.tableContents
  const location = objects.locationOf(table?.metadataKey ?? '')
  const found = await icebirdRows(objects.read, location)
  expect(found.map(({ id, amount }) => `${id} ${amount}`).sort()).toEqual(['1 11', '2 20', '3 30'])
  const registered = await catalog.find(table?.glueName ?? '')
  expect(registered?.metadataLocation).toBe(location)
  const names: string[] = []
  for await (const { name } of catalog.list()) names.push(name)
  expect(names).toEqual(['in_c_main__orders_7'])
})

it('a load that is too large for one function, and for its merge, is cut, staged and merged by Athena', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'millrace-large-merge-'))
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }))
  const context = { singleLoadBytes: 100, loadRangeBytes: 100, singleMergeBytes: 1 }
  const cloud = await startEmbeddedCloud({ dataDir: folder, context })
  cleanUp.defer(() => cloud.close())
  const { region, accessKeyId, secretAccessKey, landingBucket } = cloud
  const credentials = { accessKeyId, secretAccessKey }
  const s3 = new S3Client({ region, credentials, endpoint: cloud.s3, forcePathStyle: true })
  cleanUp.defer(() => s3.destroy())
  const drop = (Body: string, Metadata: Record<string, string>) =>
    s3.send(new PutObjectCommand({ Bucket: landingBucket, Key: 'in.c-main/orders.csv', Body, Metadata }))
  const rowsOf = async (): Promise<string[]> => {
    const reply = await fetch(`${cloud.api}/v2/storage/tables/in.c-main.orders/data-preview`, {
      headers: { 'X-StorageApi-Token': cloud.token ?? '' },
    })
    return reply.ok ? (await reply.text()).trim().split('\n').slice(1).sort() : []
  }

  await drop('id,note\n1,old\n2,stays\n', { 'primary-key': 'id' })
  await eventually(async () => expect(await rowsOf()).toEqual(['"1","old"', '"2","stays"']))
  const later = Array.from({ length: 20 }, (_, index) => `${(index % 4) + 3},"${index}, of many"\n`)
  await drop(`id,note\n1,first\n${later.join('')}1,last\n`, { 'primary-key': 'id', incremental: '1' })
  await eventually(async () =>
    expect(await rowsOf()).toEqual([
      '"1","last"',
      '"2","stays"',
      '"3","16, of many"',
      '"4","17, of many"',
      '"5","18, of many"',
      '"6","19, of many"',
    ]),
  )
  const glue = new GlueClient({ region, credentials, endpoint: cloud.control })
  cleanUp.defer(() => glue.destroy())
  const { TableList = [] } = await glue.send(new GetTablesCommand({ DatabaseName: 'millrace_1' }))
  expect(TableList.map(({ Name }) => Name?.replace(/\d+$/, ''))).toContain('in_c_main__orders_')
})
