import { snapshotBody } from '../../lib/wire/snapshot-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findSnapshot } from './find-snapshot.ts'
import { snapshotResource } from './snapshot-resource.ts'

export const getSnapshot = defineRoute({
  method: 'get',
  path: '/v2/storage/snapshots/{snapshotId}',
  summary: 'Snapshot detail',
  tag: 'snapshots',
  replies: { 200: 'The snapshot', 404: 'There is no such snapshot' },
  reply: snapshotBody,
  handle: async ({ params, caller, baseUrl }, services) =>
    ok(snapshotResource(await findSnapshot(services, params.snapshotId, caller), baseUrl)),
})
