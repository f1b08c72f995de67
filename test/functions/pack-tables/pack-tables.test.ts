import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packTablesEvent } from '#functions/pack-tables/handler.ts'
import { packTables } from '#functions/pack-tables/pack-tables.ts'
import { findPacking } from '#lib/distributed/find-packing.ts'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { mergeTableName } from '#lib/iceberg/glue/glue-names.ts'
import { formatMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { type LiveFile, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { createPackingLedger } from '#lib/storage/tables/packing-ledger.ts'
import { eventFile } from '#support/events.ts'
import { icebirdRows } from '#support/icebird-view.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'
import { asFunction } from '../../support/guard-writes.ts'

let service: StorageService
let bucketId: string
beforeAll(async () => {
  // All keyed loads are merged by Athena, and all tables outgrow one function.
  service = await startStorageService({ hasAthena: true, singleLoadBytes: 20, singleMergeBytes: 1 })
  bucketId = await service.createBucket('main')
})
afterAll(() => service?.close())

const rows = (from: number, to: number, note: string): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index},${note}\n`).join('')

/** A table of three files, two of them with deleted rows. */
const createTable = async (name: string): Promise<string> => {
  const tableId = await service.createTable(bucketId, name, `id,note\n${rows(0, 30, 'first')}`, {
    primaryKey: 'id',
  })
  for (const [from, note] of [
    [20, 'second'],
    [35, 'third'],
  ] as const) {
    const dataFileId = await service.upload(`id,note\n${rows(from, from + 20, note)}`)
    const path = `/v2/storage/tables/${tableId}/import-async`
    const { body } = await service.call('POST', path, { dataFileId, incremental: 1 })
    expect(body).toMatchObject({ status: 'success' })
  }
  return tableId
}

const headOf = async (tableId: string) => {
  const head = await service.stores.tables.get(tableId)
  if (!head) throw new Error('There is no table')
  return head
}
/** With their times. */
const contentOf = async (tableId: string): Promise<string[]> => {
  const { objects } = service.stores.tableContents
  const found = await icebirdRows(objects.read, objects.locationOf((await headOf(tableId)).metadataKey ?? ''))
  return found
    .map(({ id, note, _timestamp }) => `${id} ${note} ${new Date(String(_timestamp)).toISOString()}`)
    .sort()
}
const glueAt = async (tableId: string) =>
  (await service.stores.catalog?.find((await headOf(tableId)).glueName ?? ''))?.metadataLocation
const optimize = async (tableId: string) =>
  (await service.call('POST', `/v2/storage/tables/${tableId}/optimize`)).body
const eventsOf = async (tableId: string, name: string) => {
  const found = []
  for await (const event of service.stores.events.listOf('table', tableId)())
    if (event.event === name) found.push(event)
  return found
}

describe('a large table that is optimized', () => {
  it('has the same rows in fewer files, without deletes, and Glue shows them', async () => {
    const tableId = await createTable('packed')
    const before = await headOf(tableId)
    const content = await contentOf(tableId)
    expect(content).toHaveLength(55)
    expect(before.snapshot.files.map(({ deletes }) => deletes?.rows ?? 0).sort()).toEqual([0, 10, 5])

    const optimized = await optimize(tableId)
    expect(optimized.error).toBeUndefined()
    expect(optimized).toMatchObject({
      status: 'success',
      results: { packedFiles: 3, filesCount: 1 },
    })
    const after = await headOf(tableId)
    expect(after.snapshot.files.map(({ rows, deletes }) => [rows, deletes])).toEqual([[55, undefined]])
    expect(await contentOf(tableId)).toEqual(content)
    const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
    expect(text.trimEnd().split('\n')).toHaveLength(56)
    expect(after).toMatchObject({
      lastChangeDate: before.lastChangeDate,
      lastImportDate: before.lastImportDate,
    })
    expect(await glueAt(tableId)).toBe(`s3://${service.tablesBucket}/${after.metadataKey}`)
    expect(await service.stores.catalog?.find(mergeTableName(after.lastJob?.id ?? 0))).toBeUndefined()

    expect(await optimize(tableId)).toMatchObject({
      status: 'success',
      results: { message: expect.stringContaining('nothing was left to do') },
    })
    expect((await headOf(tableId)).metadataKey).toBe(after.metadataKey)
  })

  it('is adopted when statistics are committed after it, as Trino does, and keeps their file', async () => {
    const tableId = await createTable('statistics')
    const content = await contentOf(tableId)
    const { merging } = service.jobServices
    if (!merging) throw new Error('There is no Athena')
    const { settled, catalog, tableContents } = merging
    const { objects, metadataFile, namedKeys } = tableContents
    let statistics = ''
    merging.settled = async () => {
      merging.settled = settled
      await settled()
      for await (const table of catalog.list()) {
        if (!table.name.startsWith('merge_')) continue
        const { metadata, location } = await metadataFile(objects.keyOf(table.metadataLocation))
        const id = metadata['current-snapshot-id']
        statistics = `${metadata.location}/metadata/${id}.stats`
        const next: TableMetadata = {
          ...metadata,
          'metadata-log': [
            ...metadata['metadata-log'],
            { 'metadata-file': location, 'timestamp-ms': Date.now() },
          ],
          statistics: [{ 'statistics-path': statistics, 'snapshot-id': id, 'blob-metadata': [] }],
        }
        const moved = { metadata: next, location: `${metadata.location}/metadata/00099-${id}.metadata.json` }
        await objects.write([
          { location: statistics, content: Buffer.from('PFA1') },
          { location: moved.location, content: Buffer.from(formatMetadata(next)) },
        ])
        await catalog.move(table, moved)
      }
    }
    const optimized = await optimize(tableId)
    expect(optimized.error).toBeUndefined()
    expect(await contentOf(tableId)).toEqual(content)
    const named: string[] = []
    for await (const key of namedKeys((await headOf(tableId)).metadataKey ?? '')) named.push(key)
    expect(named).toContain(objects.keyOf(statistics))
  })

  /** Another commit in the place of the query's, made of what it was given. */
  const replaced = async (
    tableId: string,
    change: (files: LiveFile[]) => Parameters<typeof planCommit>[0]['change'],
  ): Promise<void> => {
    const { merging, stagedMerges } = service.jobServices
    if (!merging || !stagedMerges) throw new Error('There is no Athena')
    const { settled } = merging
    merging.settled = async () => {
      merging.settled = settled
      await settled()
      const { objects, metadataFile } = service.stores.tableContents
      const base = await metadataFile((await headOf(tableId)).metadataKey ?? '')
      const files = await readLiveFiles(objects.read, base.metadata)
      const plan = await planCommit({
        read: objects.read,
        base,
        change: change(files),
        commitId: 'other',
        timeMs: Date.now(),
      })
      await objects.write(plan.objects)
      for await (const table of merging.catalog.list())
        if (table.name.startsWith('merge_')) await merging.catalog.move(table, plan)
    }
  }
  const pathsOf = (files: LiveFile[]): Set<string> => new Set(files.map(({ file }) => file.path))
  const deletesOf = (files: LiveFile[]): Set<string> =>
    new Set(files.flatMap(({ positionDeletes }) => positionDeletes.map(({ path }) => path)))

  it.each([
    [
      'a commit that loses rows',
      (files: LiveFile[]) => ({ operation: 'replace' as const, removedData: pathsOf(files.slice(0, 1)) }),
      'and writes 0 rows',
    ],
    [
      'a commit that brings deleted rows back',
      (files: LiveFile[]) => ({ operation: 'replace' as const, removedDeletes: deletesOf(files) }),
      'changes which rows of',
    ],
  ])('keeps its files after %s, and an event says where it lies', async (what, change, reason) => {
    const tableId = await createTable(what.replaceAll(' ', '-'))
    const before = await headOf(tableId)
    await replaced(tableId, change)
    expect(await optimize(tableId)).toMatchObject({
      status: 'error',
      error: {
        code: 'storage.tables.distributed.commitRefused',
        message: expect.stringContaining(reason),
      },
    })
    expect((await headOf(tableId)).metadataKey).toBe(before.metadataKey)
    expect(await eventsOf(tableId, 'storage.tableCommitRefused')).toHaveLength(1)
    expect(await glueAt(tableId)).toBe(`s3://${service.tablesBucket}/${before.metadataKey}`)
  })
})

describe('each day', () => {
  let clock = Date.parse('2027-01-01T03:30:00Z')
  const pack = (bytesPerDay: number) =>
    asFunction('pack-tables', () =>
      packTables({
        ...service.stores,
        ledger: createPackingLedger(service.items),
        startJob: service.jobServices.startJob,
        singleMergeBytes: 1,
        bytesPerDay,
        now: () => new Date(clock),
        log: service.jobServices.log,
      }),
    )

  it('tables are packed within the bytes of a day, once, and what does not fit is said', async () => {
    bucketId = await service.createBucket('daily')
    const one = await createTable('one')
    const other = await createTable('other')
    const bytesOf = async (tableId: string) => findPacking((await headOf(tableId)).snapshot.files)?.bytes ?? 0
    const content = await contentOf(one)
    // Tables of the tests before are packed too, or are in the way: those of this one come first.
    const enough = (await bytesOf(one)) + (await bytesOf(other)) + 1_000_000

    expect((await pack(1)).started).toBe(0)
    const [event] = await eventsOf(one, 'storage.tableOptimizeSkipped')
    expect(event).toMatchObject({ type: 'warn', message: expect.stringContaining('optimizeBytesPerDay') })
    expect(await bytesOf(one)).toBeGreaterThan(0)

    expect((await pack(enough)).started).toBeGreaterThanOrEqual(2)
    await service.jobsEnded()
    expect([await bytesOf(one), await bytesOf(other)]).toEqual([0, 0])
    expect(await contentOf(one)).toEqual(content)
    expect(await pack(enough)).toMatchObject({ started: 0, skipped: 0 })

    // Once a day, however often the schedule calls.
    for (const from of [0, 2]) {
      const dataFileId = await service.upload(`id,note\n${rows(from, from + 3, `changed ${from}`)}`)
      await service.call('POST', `/v2/storage/tables/${one}/import-async`, { dataFileId, incremental: 1 })
    }
    expect(await bytesOf(one)).toBeGreaterThan(0)
    expect(await pack(enough)).toMatchObject({ started: 0, skipped: 0 })
    clock += 86_400_000
    expect(await pack(enough)).toMatchObject({ started: 1, skipped: 0 })
    await service.jobsEnded()
    expect(await bytesOf(one)).toBe(0)
  })

  it('takes what the schedule sends', async () => {
    expect(packTablesEvent.safeParse(await eventFile('pack-tables/day.json')).success).toBe(true)
  })
})

describe('packing', () => {
  const MiB = 1024 ** 2
  const small = { bytes: 10 * MiB }
  const large = { bytes: 500 * MiB }
  const deleted = { ...large, deletes: { key: 'd', rows: 1, bytes: MiB } }
  it.each([
    ['four small files', Array(4).fill(small), undefined],
    ['five small files', Array(5).fill(small), { files: 5, bytes: 50 * MiB }],
    ['large files', Array(9).fill(large), undefined],
    ['one file with deleted rows', [deleted, large], undefined],
    [
      'two files with deleted rows, and a small one',
      [deleted, deleted, large, small],
      { files: 3, bytes: 1012 * MiB },
    ],
  ])('of %s', (_, files, expected) => {
    expect(findPacking(files)).toEqual(expected)
  })
})
