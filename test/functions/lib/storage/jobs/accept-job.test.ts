import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createOnce } from '#lib/storage/db/create-once.ts'
import { createIdempotencyStore } from '#lib/storage/db/idempotency-store.ts'
import { createIdSource, type IdSource } from '#lib/storage/db/ids.ts'
import type { JobRecord } from '#lib/storage/jobs/job-record.ts'
import { createJobStore, type JobStore } from '#lib/storage/jobs/job-store.ts'
import { frontOfQueue } from '#lib/storage/jobs/start-next.ts'
import { createTableQueue, type TableQueue } from '#lib/storage/jobs/table-queue.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

const TABLE = 'in.c-main.orders'

let time: Date
const now = () => time
let items: ItemTable
let ids: IdSource
let jobs: JobStore
let queue: TableQueue
/** Called before each write of an item. */
let beforeWrite: (pk: string) => Promise<void>

beforeEach(() => {
  time = new Date('2026-11-23T12:00:00Z')
  beforeWrite = async () => {}
  const memory = createMemoryItemTable()
  items = {
    ...memory,
    put: async (key, attributes, when) => {
      await beforeWrite(key.pk)
      return memory.put(key, attributes, when)
    },
  }
  ids = createIdSource(now)
  jobs = createJobStore(items, ids)
  queue = createTableQueue(items)
})

const make = (id: number): JobRecord => ({
  id,
  status: 'waiting',
  input: { operationName: 'tableDrop', tableId: TABLE, force: false },
  queueTableId: TABLE,
  tableId: TABLE,
  operationParams: {},
  createdTime: now().toISOString(),
  runId: null,
  creatorToken: { id: '1', description: 'somebody' },
  baseUrl: '',
  requestKey: null,
})

const begin = async (id: number): Promise<void> => {
  await queue.lease(TABLE).take({ owner: id }, undefined)
  await queue.lease(TABLE).release(id)
  await queue.leave(TABLE, id)
}

/** The process dies before it stores the job whose place it has written. */
const dieBeforeStoring = async (accepting: Promise<unknown>): Promise<number> => {
  await expect(accepting).rejects.toThrow('died')
  beforeWrite = async () => {}
  return (await queue.first(TABLE)) ?? 0
}
const dying = async (pk: string): Promise<void> => {
  if (/^JOBS#(?!MONTHS)/.test(pk)) throw new Error('died')
}
const front = () => frontOfQueue(TABLE, { jobs, queue, now })

describe('a job', () => {
  it('has its place as soon as it can be found', async () => {
    beforeWrite = async pk => {
      if (/^JOBS#(?!MONTHS)/.test(pk)) expect(await queue.first(TABLE)).toBeDefined()
    }
    const job = await jobs.create(ids, make)
    expect(await queue.first(TABLE)).toBe(job.id)
    expect((await front())?.id).toBe(job.id)
  })

  it('knows the job in the place before its own, or the last that has begun', async () => {
    const first = await jobs.create(ids, make)
    expect(first.before).toBeUndefined()
    const second = await jobs.create(ids, make)
    expect((await jobs.get(second.id))?.before).toBe(first.id)
    await begin(first.id)
    await begin(second.id)
    const third = await jobs.create(ids, make)
    expect((await jobs.get(third.id))?.before).toBe(second.id)
  })

  it('that is accepted when a later one has begun gets an id after that one', async () => {
    const early = ids()
    const late = await jobs.create(ids, make)
    await begin(late.id)
    expect(await jobs.insert(make(early))).toBe(false)
    expect(await jobs.get(early)).toBeUndefined()
    expect(await queue.first(TABLE)).toBeUndefined()
    // Also where the one that has begun was made by a clock that is ahead.
    const ahead = ids() + 1e12
    await begin(ahead)
    const job = await jobs.create(ids, make)
    expect(job.id).toBeGreaterThan(ahead)
    expect(await queue.first(TABLE)).toBe(job.id)
  })
})

describe('a place without a job', () => {
  it('holds up nobody for longer than a job is being accepted, and then never gets one', async () => {
    beforeWrite = dying
    const lost = await dieBeforeStoring(jobs.create(ids, make))
    const next = await jobs.create(ids, make)
    expect(await front()).toBeUndefined()
    time = new Date(time.getTime() + 6_000)
    expect((await front())?.id).toBe(next.id)
    expect(await queue.has(TABLE, lost)).toBe(false)
    expect(await jobs.insert(make(lost))).toBe(false)
    expect(await jobs.get(lost)).toBeUndefined()
    const listed: number[] = []
    for await (const { id } of jobs.list()) listed.push(id)
    expect(listed).toEqual([next.id])
    expect(await jobs.getMany([lost, next.id])).toHaveLength(1)
  })

  it('gives way while its job is slow to be stored, which then gets another', async () => {
    const stalled = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    beforeWrite = async pk => {
      if (!/^JOBS#(?!MONTHS)/.test(pk)) return
      beforeWrite = async () => {}
      stalled.resolve()
      await goOn.promise
    }
    const slow = jobs.create(ids, make)
    await stalled.promise
    const other = await jobs.create(ids, make)
    time = new Date(time.getTime() + 6_000)
    expect((await front())?.id).toBe(other.id)
    goOn.resolve()
    const { id } = await slow
    expect(id).toBeGreaterThan(other.id)
    expect(await queue.behind(TABLE, 0, 10)).toEqual([other.id, id])
  })
})

describe('a request with a key', () => {
  const request = { scope: 'token 1 tableDrop', key: 'k', request: {} }
  const accept = () =>
    createOnce<JobRecord>(request, {
      idempotency: createIdempotencyStore(items, now),
      records: jobs,
      nextId: ids,
      make,
    })

  it('whose process died before its job was stored takes the same place when it comes again', async () => {
    beforeWrite = dying
    const place = await dieBeforeStoring(accept())
    expect((await accept()).id).toBe(place)
    expect(await queue.behind(TABLE, 0, 10)).toEqual([place])
  })

  it('and whose place was given up, or overtaken, meanwhile gets a later one, once', async () => {
    beforeWrite = dying
    const lost = await dieBeforeStoring(accept())
    const other = await jobs.create(ids, make)
    time = new Date(time.getTime() + 6_000)
    await front()
    await begin(other.id)
    const [one, same] = await Promise.all([accept(), accept()])
    expect(one.id).toBeGreaterThan(other.id)
    expect(same.id).toBe(one.id)
    expect(one.id).not.toBe(lost)
    expect(await queue.behind(TABLE, 0, 10)).toEqual([one.id])
  })

  it('that comes many times at once is one job in one place', async () => {
    const accepted = await Promise.all(Array.from({ length: 12 }, accept))
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(1)
    expect(await queue.behind(TABLE, 0, 10)).toEqual([accepted[0]?.id])
  })
})
