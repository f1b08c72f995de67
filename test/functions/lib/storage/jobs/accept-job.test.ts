import { beforeEach, describe, expect, it } from 'vitest'
import { createItemTable, type ItemTable, startingWith } from '#lib/items/item-table.ts'
import { createIdempotencyStore } from '#lib/storage/db/idempotency-store.ts'
import { createIdSource } from '#lib/storage/db/ids.ts'
import { noMetrics, type WaitingJob } from '#lib/storage/jobs/job-record.ts'
import { createJobStore, jobCancelled } from '#lib/storage/jobs/job-store.ts'
import { createTableQueue } from '#lib/storage/jobs/table-queue.ts'
import { disturbedItems } from '#support/disturbed-items.ts'
import { createMemoryItems } from '#support/memory-item-table.ts'

const TABLE = 'in.c-main.orders'

let time: Date
const now = () => time
let items: ItemTable

const processOf = (clock: () => Date = now, table = items) => ({
  jobs: createJobStore(table, createIdSource(clock)),
  queue: createTableQueue(table),
  idempotency: createIdempotencyStore(table, now),
})

beforeEach(() => {
  time = new Date('2026-11-23T12:00:00Z')
  items = createItemTable(createMemoryItems())
})

const make = (id: number): WaitingJob => ({
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
})

const request = { scope: 'token 1 tableDrop', key: 'k', request: {} }
const failure = { error: { code: 'internalError', message: '', exceptionId: '', contextParams: {} } }
const open = async ({ jobs }: ReturnType<typeof processOf>) =>
  Array.fromAsync(jobs.listOpen(), ({ id }) => id)

describe('a job that is accepted', () => {
  it('is there with its place and its entry for the clock, or not at all', async () => {
    const one = processOf()
    const { id } = await one.jobs.accept(make)
    expect([await one.queue.first(TABLE), await open(one)]).toEqual([id, [id]])
    const dying = processOf(now, { ...items, transact: () => Promise.reject(new Error('died')) })
    await expect(dying.jobs.accept(make)).rejects.toThrow('died')
    expect([await one.queue.front(TABLE, 9), await open(one)]).toEqual([[id], [id]])
  })

  it('is behind all that were acknowledged before, also where their clock is ahead', async () => {
    const ahead = processOf(() => new Date(time.getTime() + 60_000))
    const behind = processOf()
    const first = await ahead.jobs.accept(make)
    const second = await behind.jobs.accept(make)
    const third = await behind.jobs.accept(make)
    expect(await behind.queue.front(TABLE, 9)).toEqual([first.id, second.id, third.id])
  })

  it('rule 10, unknown is not no: answers get lost, requests meet, and each is one job in one place', async () => {
    let asked = -1
    // A write asks twice: whether it meets another, and whether its answer gets lost. The first one, of the month, has luck.
    const random = () => (asked++ < 1 ? 1 : ([1, 0, 0, 1, 1, 1][asked % 6] ?? 1))
    const lossy = createItemTable(
      disturbedItems(createMemoryItems(), { random, lostAnswers: 0.5, conflicts: 0.5 }),
    )
    const { jobs, queue } = processOf(now, lossy)
    const accepted = []
    for (let count = 0; count < 8; count++) accepted.push((await jobs.accept(make)).id)
    expect(await queue.front(TABLE, 99)).toEqual(accepted)
  })
})

describe('a request with a key', () => {
  it('that comes many times at once is one job in one place', async () => {
    const { jobs, queue, idempotency } = processOf()
    const accept = () => jobs.accept(make, { request, idempotency })
    const accepted = await Promise.all(Array.from({ length: 12 }, accept))
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(1)
    expect(await queue.front(TABLE, 9)).toEqual([accepted[0]?.id])
    const other = jobs.accept(make, { request: { ...request, request: { other: true } }, idempotency })
    await expect(other).rejects.toMatchObject({ status: 422 })
  })

  it('is a new one when its key is forgotten, though the item is still there', async () => {
    const { jobs, idempotency } = processOf()
    const first = await jobs.accept(make, { request, idempotency })
    time = new Date(time.getTime() + 31 * 86_400_000)
    expect((await jobs.accept(make, { request, idempotency })).id).not.toBe(first.id)
  })
})

describe('a job that begins and ends', () => {
  it('has the lease of its table from its beginning to its end, and leaves nothing', async () => {
    const { jobs, queue, ...others } = processOf()
    const [first, second] = [await jobs.accept(make), await jobs.accept(make)]
    if (first.status !== 'waiting' || second.status !== 'waiting') throw new Error('They were made so')
    const begun = await jobs.begin(first, now())
    expect(begun).toMatchObject({ status: 'processing' })
    expect(await jobs.begin(second, now())).toEqual({ heldBy: first.id })
    expect(await jobs.begin(first, now())).toEqual(begun)
    await jobs.fail(second, now(), failure)
    await jobs.fail(first, now(), failure)
    expect(await Array.fromAsync(items.query(`QUEUE#${TABLE}`, startingWith('')))).toEqual([])
    expect(await open({ jobs, queue, ...others })).toEqual([])
  })

  it('rule 3, a claim is an attempt\u2019s: what a load has taken along nobody else ends, and what was ended nobody takes', async () => {
    const { jobs, queue } = processOf()
    const [first, second, third] = [await jobs.accept(make), await jobs.accept(make), await jobs.accept(make)]
    if (first.status !== 'waiting') throw new Error('It was made so')
    await jobs.begin(first, now())
    const cancel = (id: number) => jobs.get(id).then(job => job && jobs.failWaiting(job, now(), failure))
    expect(await cancel(third.id)).toMatchObject({ status: 'error' })
    expect(await queue.claim(TABLE, first.id, [second.id, third.id])).toBe(true)
    expect(await cancel(second.id)).toMatchObject({ status: 'waiting' })
    expect((await jobs.getMany([second.id, third.id])).map(({ status }) => status)).toEqual([
      'waiting',
      'error',
    ])
    expect(await queue.claim(TABLE, first.id, [second.id])).toBe(false)
    expect(await queue.claim(TABLE, second.id, [third.id])).toBe(false)
    expect(await jobs.endAlong(second, now(), failure)).toMatchObject({ status: 'error' })
  })

  it('and is claimed between the look at the lease and the end stays as it is', async () => {
    const { jobs, queue } = processOf()
    const [first, second] = [await jobs.accept(make), await jobs.accept(make)]
    if (first.status !== 'waiting') throw new Error('It was made so')
    await jobs.begin(first, now())
    const slow = processOf(now, {
      ...items,
      transact: async writes => {
        await queue.claim(TABLE, first.id, [second.id])
        return items.transact(writes)
      },
    })
    expect(await slow.jobs.failWaiting(second, now(), failure)).toMatchObject({ status: 'waiting' })
    expect(jobCancelled('me').code).toBe('storage.jobs.cancelled')
  })

  it('and whose end is asked for while it begins makes nothing visible', async () => {
    const { jobs } = processOf()
    const job = await jobs.accept(make)
    if (job.status !== 'waiting') throw new Error('It was made so')
    const told = { action: 'put' as const, key: { pk: 'TOLD', sk: 'by me' }, item: {} }
    await jobs.wishEnd(job.id, 'me', [told])
    await jobs.wishEnd(job.id, 'another', [{ ...told, key: { pk: 'TOLD', sk: 'by another' } }])
    const current = await jobs.begin(job, now())
    expect(current).toMatchObject({ status: 'waiting', cancelledBy: 'me' })
    if (!('status' in current) || current.status !== 'waiting') throw new Error('It waits')
    const begun = await jobs.begin(current, now())
    if (!('status' in begun) || begun.status !== 'processing') throw new Error('It has begun')
    await jobs.noteProgress(begun.id, { rows: 7 }, now())
    const visible = { ...told, key: { pk: 'HEAD', sk: 'new' } }
    const outcome = { results: null, metrics: noMetrics }
    expect(await jobs.succeed(begun, { at: now(), outcome }, { writes: [visible] })).toBe('cancelled')
    await expect(jobs.refuseCancelled(job.id)).rejects.toThrow('Cancelled by the token "me"')
    expect(await items.getMany([visible.key, { pk: 'TOLD', sk: 'by another' }])).toEqual([])
    expect(await jobs.fail(begun, now(), failure)).toMatchObject({ status: 'error' })
    await jobs.wishEnd(job.id, 'late', [{ ...told, key: { pk: 'TOLD', sk: 'late' } }])
    expect(await items.getMany([{ pk: 'TOLD', sk: 'late' }])).toEqual([])
  })
})
