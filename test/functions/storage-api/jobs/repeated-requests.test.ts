import { beforeEach, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

let at = Date.parse('2026-07-01T12:00:00Z')
const service = await withStorage({ now: () => new Date(at) })
const bucketId = await service.createBucket('main')
const tableId = await service.createTable(bucketId, 'rows', 'id\n1\n2\n')
beforeEach(() => {
  at += 60_000
})

type Sent = [method: string, path: string, body?: unknown]

/** The statuses and the jobs of a request that is sent again a second later, with the same key. */
const sendTwice = async (first: Sent, second: Sent = first) => {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const before = await service.call(...withHeaders(first, headers))
  at += 1000
  const after = await service.call(...withHeaders(second, headers))
  return {
    statuses: [before.status, after.status],
    jobs: [before.body.id, after.body.id],
    code: after.body.code,
  }
}

const withHeaders = ([method, path, body]: Sent, headers: Record<string, string>) =>
  [method, path, body, headers] as const

it.each<[string, () => Sent]>([
  ['an export since a time before now', () => ['POST', exports(), { changedSince: '-2 days' }]],
  ['an export until now', () => ['POST', exports(), { changedUntil: 'now' }]],
  [
    'an export with a condition on a time before now',
    () => ['POST', exports(), { whereFilters: [{ column: 'id', values: ['-1 day'], type: 'TIME_STRING' }] }],
  ],
  [
    'a deletion of rows by time',
    () => ['DELETE', `/v2/storage/tables/${tableId}/rows?changedUntil=-1%20hour`],
  ],
  [
    'a copy of a table as it is now',
    () => ['POST', `/v2/storage/buckets/${bucketId}/tables-async`, { name: 'copy', sourceTableId: tableId }],
  ],
  [
    'a copy of a table as it was',
    () => [
      'POST',
      `/v2/storage/buckets/${bucketId}/tables-async`,
      { name: 'earlier', sourceTableId: tableId, timestamp: '-10 seconds' },
    ],
  ],
])('knows %s again a second later', async (_name, request) => {
  const { statuses, jobs } = await sendTwice(request())
  expect(statuses).toEqual([202, 202])
  expect(jobs[1]).toBe(jobs[0])
})

it('knows a request again that writes the same in another form', async () => {
  const { statuses, jobs } = await sendTwice(
    ['POST', exports(), { gzip: 1, columns: 'id' }],
    ['POST', `${exports()}/`, { columns: ['id'], gzip: true }],
  )
  expect(statuses).toEqual([202, 202])
  expect(jobs[1]).toBe(jobs[0])
})

it.each<[string, Sent, Sent]>([
  ['another time', ['POST', '', { changedSince: '-2 days' }], ['POST', '', { changedSince: '-3 days' }]],
  ['more columns', ['POST', '', { columns: ['id'] }], ['POST', '', {}]],
])('refuses a key that came with %s', async (_name, [method, , first], [, , second]) => {
  const { statuses, code } = await sendTwice([method, exports(), first], [method, exports(), second])
  expect([statuses, code]).toEqual([[202, 422], 'storage.idempotencyKeyReused'])
})

const exports = () => `/v2/storage/tables/${tableId}/export-async`
