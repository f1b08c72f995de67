import { z } from 'zod'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { parseId, storedUnder } from '../../lib/storage/db/ids.ts'
import { type SnapshotRecord, snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import { bucketOfTable, mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { snapshotBody } from '../../lib/wire/snapshot-body.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import { findOwnTable, findTable } from '../find/find-table.ts'
import { integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('snapshots')

/** Keeps the current table, by a job `tableSnapshotCreate` whose results name the snapshot. */
routes.post('/v2/storage/tables/{tableId}/snapshots', {
  summary: 'Create a snapshot of a table',
  body: z.object({ description: text({ max: 10_000 }).default('') }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableSnapshotCreate`',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { description } = request.body
    return submitJob(request, services, {
      input: { operationName: 'tableSnapshotCreate', tableId, description },
      admit: async () => {
        await findOwnTable(services, tableId)
        return { description }
      },
    })
  },
})

routes.get('/v2/storage/tables/{tableId}/snapshots', {
  summary: 'List the snapshots of a table that were made in the branch of the path',
  query: z.object({
    limit: integer({ min: 1, max: 1000 }).default(20),
    offset: integer().default(0),
  }),
  replies: { 200: 'The snapshots, newest first', 404: 'There is no such table' },
  reply: z.array(snapshotBody),
  handle: async ({ params, query, baseUrl, branchId }, services) => {
    await findTable(services, params.tableId)
    return page(services.snapshots.listOf(params.tableId), {
      ...query,
      isListed: kept => (kept.branchId ?? defaultBranchId) === branchId,
      show: each => snapshotResource(each, baseUrl),
    })
  },
})

routes.get('/v2/storage/snapshots/{snapshotId}', {
  summary: 'Snapshot detail',
  replies: { 200: 'The snapshot', 404: 'There is no such snapshot' },
  reply: snapshotBody,
  handle: async ({ params, caller, baseUrl }, services) =>
    snapshotResource(await findSnapshot(services, params.snapshotId, caller), baseUrl),
})

/** Gives a table the rows of a snapshot that was kept of it, by a job `tableRestore`. */
routes.post('/v2/storage/tables/{tableId}/snapshots/{snapshotId}/restore', {
  summary: 'Restore a table from a snapshot, in place',
  replies: { 202: 'The job `tableRestore`', 404: 'There is no such table or snapshot' },
  handle: async (request, services) => {
    const { tableId, snapshotId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tableRestore', tableId, snapshotId: parseId(snapshotId) ?? 0 },
      admit: async () => {
        await findOwnTable(services, tableId)
        const { id } = await findSnapshot(services, snapshotId, request.caller)
        return { snapshotId: id }
      },
    })
  },
})

routes.delete('/v2/storage/snapshots/{snapshotId}', {
  summary: 'Delete a snapshot',
  replies: { 202: 'The job `tableSnapshotDelete`', 404: 'There is no such snapshot' },
  handle: async (request, services) => {
    const { snapshotId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tableSnapshotDelete', snapshotId: parseId(snapshotId) ?? 0 },
      admit: async () => {
        const { id } = await findSnapshot(services, snapshotId, request.caller, 'write')
        return { snapshotId: id }
      },
    })
  },
})

/**
 * The kept snapshot of a path. Errors: 404 `storage.snapshots.notFound`; 403 `accessDenied` for a caller without this
 * right on the bucket of its table.
 */
export const findSnapshot = async (
  { snapshots }: Services,
  snapshotId: string,
  caller: Caller,
  needed: BucketPermission = 'read',
): Promise<SnapshotRecord> => {
  const snapshot = await storedUnder(snapshotId, snapshots.get)
  if (!snapshot) throw snapshotNotFound(snapshotId)
  // Its bucket is not named to who may not see it.
  if (!mayUseBucket(caller, bucketOfTable(snapshot.table.id), needed)) throw accessDenied()
  return snapshot
}

/**
 * The kept snapshot on the wire, with the table as it was. Clients expect a file with its data: `dataFileId` is the
 * snapshot's own id, because its data are files of the table and no file resource.
 */
const snapshotResource = (
  { id, createdTime, description, creatorToken, table, snapshot }: SnapshotRecord,
  baseUrl: string,
) => ({
  id: String(id),
  type: 'table',
  uri: `${baseUrl}/v2/storage/snapshots/${id}`,
  dataFileId: String(id),
  createdTime: wireDate(createdTime),
  description,
  creatorToken: { id: Number(creatorToken.id), description: creatorToken.description },
  dataSizeBytes: snapshot.dataSizeBytes,
  rowsCount: snapshot.rowsCount,
  table: {
    id: table.id,
    name: table.name,
    displayName: table.displayName,
    primaryKey: snapshot.primaryKey,
    created: wireDate(table.created),
    lastImportDate: wireDateOrNull(table.lastImportDate),
    lastChangeDate: wireDateOrNull(table.lastChangeDate),
    rowsCount: snapshot.rowsCount,
    dataSizeBytes: snapshot.dataSizeBytes,
    isAlias: false,
    columns: columnNames(snapshot),
    attributes: [],
  },
})
