import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, expect, it } from 'vitest'
import type { SweepServices } from '#functions/sweep-storage/page.ts'
import { type SweepKind, sweepKinds } from '#functions/sweep-storage/sweep-kinds.ts'
import { sweepStorage } from '#functions/sweep-storage/sweep-storage.ts'
import type { FileRecord } from '#lib/storage/files/file-store.ts'
import { asFunction } from '../../support/guard-writes.ts'
import { withStorage } from '../../support/storage-service.ts'
import { sweepAll } from '../../support/sweep-all.ts'

const DAY_MS = 86_400_000
/** The object store has the clock of this machine; the service is that far ahead of it. */
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)
const service = await withStorage({ now })

const logged: unknown[] = []
const services: SweepServices = {
  ...service.stores,
  s3: service.s3,
  filesBucket: service.filesBucket,
  tablesBucket: service.tablesBucket,
  pageSizes: { files: 3, keys: 4, buckets: 2 },
  now,
  log: { error: (...line) => logged.push(line) },
}
beforeEach(async () => {
  logged.length = 0
  await sweepAll(services)
})

/** One page, as when the time of an invocation is up. */
const onePage = (kind: SweepKind, given = services) =>
  asFunction('sweep-storage', () => sweepStorage(kind, given, () => true))
const wholeSweep = (kind: SweepKind, given = services) =>
  asFunction('sweep-storage', () => sweepStorage(kind, given, () => false))

/** As many invocations of one page as a sweep takes. Resolves to what each has swept. */
const pagesOf = async (kind: SweepKind): Promise<number[]> => {
  const swept: number[] = []
  for (let isWhole = false; !isWhole; ) {
    const page = await onePage(kind)
    swept.push(page.swept)
    isWhole = page.isWhole
  }
  return swept
}
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

const put = (Bucket: string, Key: string) => service.s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
const keysIn = async (Bucket: string, Prefix: string): Promise<string[]> => {
  const { Contents = [] } = await service.s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
  return Contents.map(({ Key = '' }) => Key)
}
const tableKeys = () => keysIn(service.tablesBucket, 'tables/')
const unnamedKeys = Array.from({ length: 11 }, (_, index) => `tables/${index % 3}/9/${index}.parquet`)
const putUnnamed = () => Promise.all(unnamedKeys.map(key => put(service.tablesBucket, key)))
const notes = async () => {
  const found: string[] = []
  for await (const { key } of service.stores.sweeps.notes({ after: 'tables/' })) found.push(key)
  return found
}
const position = (kind: SweepKind) => service.stores.sweeps.position(kind)

it('notes and deletes unnamed objects page by page over many invocations, and nothing that a table names', async () => {
  const bucketId = await service.createBucket('pages')
  const tableId = await service.createTable(bucketId, 't', 'a\n1\n')
  const live = await tableKeys()
  await putUnnamed()

  expect(await onePage('table-objects')).toEqual({ kind: 'table-objects', swept: 0, isWhole: false })
  expect(await notes()).toHaveLength(4)
  expect(await position('table-objects')).toBe((await notes()).at(-1))
  await pagesOf('table-objects')
  expect((await notes()).sort()).toEqual([...unnamedKeys].sort())

  aheadMs += 1.1 * DAY_MS
  const swept = await pagesOf('table-objects')
  expect(swept.length).toBeGreaterThan(2)
  expect(sum(swept)).toBe(unnamedKeys.length)
  expect(await tableKeys()).toEqual(live)
  expect(await notes()).toEqual([])
  expect((await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)).text).toBe('"a"\n"1"\n')
})

it('gives an object a whole day again that was named in between', async () => {
  await putUnnamed()
  await pagesOf('table-objects')
  aheadMs += 1.1 * DAY_MS
  const [named = ''] = unnamedKeys
  const { snapshots } = services
  async function* namedKeys() {
    yield* snapshots.namedKeys()
    yield named
  }
  expect(
    (await wholeSweep('table-objects', { ...services, snapshots: { ...snapshots, namedKeys } })).swept,
  ).toBe(10)
  expect(await notes()).toEqual([])
  expect((await wholeSweep('table-objects')).swept).toBe(0)
  expect(await tableKeys()).toContain(named)
  aheadMs += 1.1 * DAY_MS
  expect((await wholeSweep('table-objects')).swept).toBe(1)
})

it('deletes nothing of a page when a head cannot be read, comes to that page again, and holds up no other kind', async () => {
  await putUnnamed()
  await put(service.filesBucket, 'exp-2/7/a.csv')
  await pagesOf('table-objects')
  aheadMs += 4 * DAY_MS
  await onePage('table-objects')
  const [before, left] = [await position('table-objects'), await tableKeys()]
  const unreadable = async function* (): AsyncGenerator<string> {
    yield* []
    throw new Error('This head cannot be read')
  }
  const broken = { ...services, snapshots: { ...services.snapshots, namedKeys: unreadable } }
  await expect(wholeSweep('table-objects', broken)).rejects.toThrow('cannot be read')
  expect(await position('table-objects')).toBe(before)
  expect(await tableKeys()).toEqual(left)
  expect((await wholeSweep('file-objects', broken)).swept).toBe(1)

  await pagesOf('table-objects')
  expect((await tableKeys()).filter(key => unnamedKeys.includes(key))).toEqual([])
})

it('removes the notes of objects whose sweep died after it had deleted them', async () => {
  await putUnnamed()
  await wholeSweep('table-objects')
  aheadMs += 1.1 * DAY_MS
  const removeNotes = async () => {
    throw new Error('The process died here')
  }
  const dying = { ...services, sweeps: { ...services.sweeps, removeNotes } }
  await expect(wholeSweep('table-objects', dying)).rejects.toThrow('died')
  expect(await notes()).toHaveLength(unnamedKeys.length)
  expect((await wholeSweep('table-objects')).swept).toBe(unnamedKeys.length - 4)
  expect(await notes()).toEqual([])
})

it('sweeps files and their objects of all branches page by page, and continues where it stopped', async () => {
  const { body: job } = await service.call('POST', '/v2/storage/dev-branches', { name: 'sweep' })
  for (let count = 0; count < 7; count++) await service.upload(`a\n${count}\n`)
  const branch = service.stores.inBranch(job.results.id)
  const { files } = service.stores
  const uploaded: FileRecord[] = []
  for await (const file of files.list()) uploaded.push(file)
  const [template] = uploaded
  if (!template) throw new Error('It was uploaded')
  for (let count = 0; count < 4; count++)
    await branch.files.create(service.stores.nextId, id => ({ ...template, id, key: `exp-15/${id}/x.csv` }))
  for (let count = 0; count < 9; count++) await put(service.filesBucket, `exp-2/lost/${count}.csv`)

  aheadMs += 16.5 * DAY_MS
  const pages = await pagesOf('files')
  expect(Math.max(...pages)).toBe(3)
  expect(pages.slice(-2)).toEqual([3, 1])
  expect(sum(pages)).toBe(uploaded.length + 4)
  expect(await position('files')).toBeUndefined()
  expect(sum(await pagesOf('file-objects'))).toBe(9)
  expect(await keysIn(service.filesBucket, 'exp-')).toEqual([])
  expect(logged).toEqual([])
})

it('looks at snapshots bucket by bucket, and begins again when the bucket where it stopped is gone', async () => {
  const names = ['b1', 'b2', 'b3', 'b4', 'b5']
  const buckets = await Promise.all(names.map(name => service.createBucket(name)))
  const tables = await Promise.all(buckets.map(id => service.createTable(id, 't', 'a\n1\n')))
  for (const id of tables) {
    const dataFileId = await service.upload('a\n2\n')
    await service.call('POST', `/v2/storage/tables/${id}/import-async`, { dataFileId })
  }
  aheadMs += 8 * DAY_MS
  const first = await onePage('table-snapshots')
  expect(first.isWhole).toBe(false)
  const [, stoppedAt = ''] = (await position('table-snapshots'))?.split('/') ?? []
  await service.call('DELETE', `/v2/storage/buckets/${stoppedAt}?force=1`)
  const others = await pagesOf('table-snapshots')
  expect(others.length).toBeGreaterThan(1)
  expect(first.swept + sum(others)).toBe(5)
})

it('two sweeps of a kind at the same time harm nothing', async () => {
  const before = await tableKeys()
  for (const kind of sweepKinds) {
    await Promise.all([wholeSweep(kind), wholeSweep(kind)])
    expect((await wholeSweep(kind)).isWhole).toBe(true)
  }
  expect(await tableKeys()).toEqual(before)
})
