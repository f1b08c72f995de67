import { describe, expect, it } from 'vitest'
import { startJobsByHand } from '#support/jobs-by-hand.ts'
import type { jobRoutes } from './catalogue.ts'

type Operation = (typeof jobRoutes)[keyof typeof jobRoutes]

const byHand = await startJobsByHand()
const { service, bucketId } = byHand

interface Token {
  id: string
  headers: Record<string, string>
}

const call = async (method: string, path: string, body?: unknown, by?: Token) =>
  service.call(method, `/v2/storage/${path}`, body, by?.headers)

const newToken = async (settings: object = {}): Promise<Token> => {
  const bucketPermissions = { [bucketId]: 'write' }
  const { body } = await call('POST', 'tokens', { description: 'asks', bucketPermissions, ...settings })
  return { id: body.id, headers: { 'X-StorageApi-Token': body.token } }
}

/** A job of the master token, done; its results. */
const done = async (method: string, path: string, body: object) => {
  const { body: job } = await call(method, path, body)
  await byHand.execute(job.id)
  return (await byHand.jobOf(job.id)).results
}

const tableId = await byHand.createTable()
await done('POST', `tables/${tableId}/columns`, { name: 'm' })
const snapshotId = Number((await done('POST', `tables/${tableId}/snapshots`, {})).id)
const columns = [{ name: 'n', definition: { type: 'INTEGER' } }]
const typedId = (await done('POST', `buckets/${bucketId}/tables-definition`, { name: 'typed', columns })).id
const branchId = (await done('POST', 'dev-branches', { name: 'branch' })).id

interface Request {
  method: string
  path: string
  body?: object
}

const upload = async (by: Token): Promise<number> => {
  const { body } = await call('POST', 'files/prepare', { name: 'f.csv', sizeBytes: 1 }, by)
  return body.id
}

/** A request of each operation, as a token of limited rights sends it. */
const requests: Record<
  Exclude<Operation, 'configurationRun'>,
  (by: Token, place: string) => Promise<Request>
> = {
  devBranchCreate: async () => ({
    method: 'POST',
    path: 'dev-branches',
    body: { name: 'b' },
  }),
  devBranchDelete: async () => ({ method: 'DELETE', path: 'dev-branches/9' }),
  bucketUpdate: async () => ({
    method: 'PUT',
    path: `buckets/${bucketId}?async=1`,
    body: { displayName: 'other' },
  }),
  bucketDelete: async () => ({
    method: 'DELETE',
    path: `buckets/${bucketId}?async=1&force=1`,
  }),
  tableCreate: async by => ({
    method: 'POST',
    path: `buckets/${bucketId}/tables-async`,
    body: { name: byHand.newName(), dataFileId: await upload(by) },
  }),
  tableDefinitionCreate: async () => ({
    method: 'POST',
    path: `buckets/${bucketId}/tables-definition`,
    body: { name: byHand.newName(), columns: [{ name: 'n' }] },
  }),
  tableImport: async by => ({
    method: 'POST',
    path: `tables/${tableId}/import-async`,
    body: { dataFileId: await upload(by) },
  }),
  tableExport: async () => ({ method: 'POST', path: `tables/${tableId}/export-async`, body: {} }),
  tableUpdate: async () => ({
    method: 'PUT',
    path: `tables/${tableId}?async=1`,
    body: { displayName: 'other' },
  }),
  tableColumnAdd: async () => ({ method: 'POST', path: `tables/${tableId}/columns`, body: { name: 'k' } }),
  tableColumnDefinitionUpdate: async () => ({
    method: 'PUT',
    path: `tables/${typedId}/columns/n/definition`,
    body: { default: '1' },
  }),
  tableDefinitionUpdate: async () => ({
    method: 'PUT',
    path: `tables/${tableId}/definition`,
    body: { description: 'Orders' },
  }),
  tableColumnDelete: async () => ({ method: 'DELETE', path: `tables/${tableId}/columns/n` }),
  tablePrimaryKeyAdd: async () => ({
    method: 'POST',
    path: `tables/${tableId}/primary-key`,
    body: { columns: ['n'] },
  }),
  tablePrimaryKeyDelete: async () => ({ method: 'DELETE', path: `tables/${tableId}/primary-key` }),
  tableRowsDelete: async () => ({ method: 'DELETE', path: `tables/${tableId}/rows?allowTruncate=1` }),
  tablePull: async () => ({ method: 'POST', path: `branch/${branchId}/tables/${tableId}/pull` }),
  tableSwap: async () => ({
    method: 'POST',
    path: `tables/${tableId}/swap`,
    body: { targetTableId: typedId },
  }),
  tableDrop: async () => ({ method: 'DELETE', path: `tables/${tableId}?async=1` }),
  tableSnapshotCreate: async () => ({ method: 'POST', path: `tables/${tableId}/snapshots`, body: {} }),
  tableRestore: async () => ({
    method: 'POST',
    path: `tables/${tableId}/snapshots/${snapshotId}/restore`,
  }),
  tableSnapshotDelete: async () => ({ method: 'DELETE', path: `snapshots/${snapshotId}` }),
  workspaceCreate: async () => ({
    method: 'POST',
    path: 'workspaces?async=1',
    body: { readOnlyStorageAccess: true },
  }),
  workspaceDelete: async (by, place) => {
    const { body } = await call('POST', `${place}workspaces`, { readOnlyStorageAccess: true }, by)
    return { method: 'DELETE', path: `workspaces/${body.id}?async=1` }
  },
  fileDelete: async by => ({ method: 'DELETE', path: `files/${await upload(by)}?async=1` }),
}

const operations = Object.keys(requests) as (keyof typeof requests)[]
/** The master token is stored nowhere, and loses no right. */
const ofMaster: readonly string[] = ['devBranchCreate', 'devBranchDelete']
/** A token that manages all buckets does so for ever. */
const ofManagers: readonly string[] = ['bucketUpdate', 'bucketDelete']
const ofOthers = operations.filter(operation => !ofMaster.includes(operation))
// Of files and workspaces their own token needs no right on a bucket.
const ofToken = ['fileDelete', 'workspaceCreate', 'workspaceDelete']
const ofBuckets = ofOthers.filter(operation => ![...ofManagers, ...ofToken].includes(operation))

const refusal = (why: string) => ({
  status: 'error',
  error: { code: 'accessDenied', message: expect.stringContaining(why) },
})
const contentOfBucket = async () => {
  const { body } = await call('GET', `buckets/${bucketId}/tables?include=columns,metadata`)
  return { body, rows: await byHand.rowsOf(tableId) }
}

const weaken = ({ id }: Token) => call('PUT', `tokens/${id}`, { bucketPermissions: {} })
const remove = ({ id }: Token) => call('DELETE', `tokens/${id}`)

/** What becomes of a job when this happens between its request and its run. */
const endOf = async (request: Request, token: Token, change: (token: Token) => Promise<unknown>) => {
  const { method, path, body } = request
  const reply = await call(method, path, body, token)
  expect([reply.status, reply.body?.status]).toEqual([202, 'waiting'])
  const before = await contentOfBucket()
  await change(token)
  await byHand.execute(reply.body.id)
  expect(await contentOfBucket()).toEqual(before)
  return byHand.jobOf(reply.body.id)
}

describe('a job that waits', () => {
  const requested = async (operation: keyof typeof requests, token: Token, at = '') => {
    const request = await requests[operation](token, at)
    const place = ['tablePull', 'fileDelete'].includes(operation) ? '' : at
    return { ...request, path: `${place}${request.path}` }
  }

  // Any token makes a workspace, which gives no right.
  const bound = operations.filter(operation => operation !== 'workspaceCreate')
  it.each(bound)('is not stored for a token without the rights: %s', async operation => {
    const { method, path, body } = await requested(operation, await newToken())
    const token = await newToken({ bucketPermissions: {} })
    // A workspace of another token is not there.
    const refused = operation === 'workspaceDelete' ? 404 : 403
    expect((await call(method, path, body, token)).status).toBe(refused)
  })

  describe.each(['default branch', 'other project branch'])('in the %s', place => {
    const at = () => (place === 'default branch' ? '' : `branch/${branchId}/`)

    it.each(ofOthers)('is not done for a token that was deleted: %s', async operation => {
      const isOfManagers = ofManagers.includes(operation)
      const token = await newToken(isOfManagers ? { canManageBuckets: true, bucketPermissions: {} } : {})
      const request = await requested(operation, token, at())
      expect(await endOf(request, token, remove)).toMatchObject(refusal('was deleted or has expired'))
    })

    it.each(ofBuckets)('is not done for a token that has lost the right: %s', async operation => {
      const token = await newToken()
      const request = await requested(operation, token, at())
      expect(await endOf(request, token, weaken)).toMatchObject(refusal(`the bucket "${bucketId}" any more`))
    })
  })
})

it('a load that takes others along leaves those whose token has lost the right', async () => {
  const table = await byHand.createTable()
  const append = async (by: Token, n: number) => {
    const dataFileId = await service.upload(`n\n${n}\n`)
    const sent = { dataFileId, incremental: 1 }
    return (await call('POST', `tables/${table}/import-async`, sent, by)).body.id
  }
  const sees = { canReadAllFileUploads: true }
  const [kept, lost] = [await newToken(sees), await newToken(sees)]
  const jobs = [await append(kept, 1), await append(lost, 2), await append(kept, 3)]
  await weaken(lost)
  for (const job of jobs) await byHand.execute(job)
  expect(await byHand.rowsOf(table)).toEqual(['"0"', '"1"', '"3"'])
  expect(await byHand.jobOf(jobs[1])).toMatchObject(refusal('may not write the bucket'))
})

it('a job reads no file that its token may not read any more', async () => {
  const dataFileId = await service.upload('n\n1\n')
  const reader = await newToken({ canReadAllFileUploads: true })
  const request = {
    method: 'POST',
    path: `tables/${tableId}/import-async`,
    body: { dataFileId, incremental: 1 },
  }
  const change = ({ id }: Token) => call('PUT', `tokens/${id}`, { canReadAllFileUploads: false })
  expect(await endOf(request, reader, change)).toMatchObject(refusal(`may not read the file ${dataFileId}`))
})
