import { snapshotBody } from '../../resources/table-body.ts'
import { findSnapshot } from '../../tables/find-snapshot.ts'
import { snapshotResource } from '../../tables/snapshot-resource.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const getSnapshot = defineRoute({
  method: 'get',
  path: '/v2/storage/snapshots/{snapshotId}',
  summary: 'Snapshot detail',
  tag: 'snapshots',
  replies: { 200: 'The snapshot', 404: 'There is no such snapshot' },
  reply: snapshotBody,
  handle: async ({ params, caller }, services) =>
    ok(snapshotResource(await findSnapshot(services, params.snapshotId, caller))),
})
