import { z } from '@hono/zod-openapi'
import { findFile } from '../../files/find-file.ts'
import { submitJob } from '../../jobs/submit-job.ts'
import { csvFields, readCsvSettings } from '../../tables/csv-settings.ts'
import { findTable } from '../../tables/find-table.ts'
import { requireDataFile } from '../../tables/require-data-file.ts'
import { flag, integer } from '../../wire/fields.ts'
import { defineRoute } from '../../wire/route.ts'

/** Loads a file into a table, by a job `tableImport`. Imports into one table run one after the other. */
export const importTable = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/import-async',
  summary: 'Load a file into a table',
  tag: 'tables',
  body: z.looseObject({ dataFileId: integer().optional(), incremental: flag().default(false), ...csvFields }),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableImport`',
    400: 'The request is wrong',
    404: 'There is no such table or file',
  },
  handle: async (request, services) => {
    const { body } = request
    const { tableId } = request.params
    const fileId = requireDataFile(body)
    const csv = readCsvSettings(body)
    return submitJob(request, services, {
      input: { operationName: 'tableImport', tableId, fileId, csv, incremental: body.incremental },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        await findTable(services, tableId)
        const file = await findFile(services.files, String(fileId), request.caller)
        return {
          params: { ...csv, incremental: body.incremental },
          source: { fileId, fileName: file.name, type: 'file' },
          queue: 'main',
        }
      },
    })
  },
})
