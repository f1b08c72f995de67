import { z } from '@hono/zod-openapi'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import { checkFields } from '../../http/check-fields.ts'
import { text } from '../../http/fields.ts'
import { readBody } from '../../http/read-body.ts'
import { noContent } from '../../http/reply.ts'
import { defineOperation } from '../catalog-operation.ts'
import { findCatalogTable } from '../names/find-catalog-table.ts'

const report = z.looseObject({ 'report-type': text({ min: 1, max: 200 }) })

/** What engines send after a scan. The log keeps that there was one; its figures are not stored. */
export const reportMetrics = defineOperation({
  endpoint: 'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
  query: z.object({}),
  handle: async (request, services) => {
    const table = await findCatalogTable(request, services)
    const { 'report-type': reportType } = checkFields(
      report,
      await readBody(request.raw),
      'storage.validation',
    )
    services.log.info('metrics of a scan, not stored', { tableId: tableIdOf(table), reportType })
    return noContent()
  },
})
