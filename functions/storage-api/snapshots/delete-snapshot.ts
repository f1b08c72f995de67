import { parseId } from '../../lib/storage/db/ids.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findSnapshot } from './find-snapshot.ts'

export const deleteSnapshot = defineRoute({
  method: 'delete',
  path: '/v2/storage/snapshots/{snapshotId}',
  summary: 'Delete a snapshot',
  tag: 'snapshots',
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
