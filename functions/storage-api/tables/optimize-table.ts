import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findOwnTable } from './find-table.ts'

/** Where tables lie in a database this rewrites them. Here each load keeps its table in order, and the job says so. */
export const optimizeTable = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/optimize',
  summary: 'Optimize a table',
  tag: 'tables',
  replies: { 202: 'The job `tableOptimize`', 404: 'There is no such table' },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tableOptimize', tableId },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        await findOwnTable(services, tableId)
        return {}
      },
    })
  },
})
