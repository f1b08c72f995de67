import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { readKeyColumns } from '../../lib/storage/tables/primary-key.ts'
import type { Caller } from '../http/authenticate.ts'
import { flag, text, textList, unlessBlank } from '../http/fields.ts'
import type { NewJob } from '../jobs/submit-job.ts'
import type { Services } from '../services.ts'
import { csvFields, readCsvSettings } from './csv-settings.ts'
import {
  admitDataPlace,
  dataPlaceFields,
  readDataPlace,
  sealDataPlace,
  workspaceFields,
} from './data-place.ts'
import { findOwnTable } from './find-table.ts'

/** The fields of an import (docs/reference/storage-api.md#import). */
export const importTableFields = z.object({
  ...dataPlaceFields,
  ...workspaceFields,
  snapshotId: z.unknown().optional().openapi({ type: 'integer' }),
  incremental: flag().default(false),
  useTimestampFromDataFile: flag().default(false),
  deduplicationStrategy: unlessBlank(
    z.enum(['upsert', 'insert'], { error: 'This value should be upsert or insert.' }),
  ),
  // A comma list or a list
  primaryKey: z
    .union([text({ max: 20_000 }), textList()])
    .optional()
    .openapi({ type: 'string', example: 'id,country' }),
  ...csvFields,
})

interface Submission {
  caller: Caller
  raw: Request
}

/** The job `tableImport` of a request. */
export const importTableJob = async (
  { caller, raw }: Submission,
  services: Services,
  { tableId, body }: { tableId: string; body: z.output<typeof importTableFields> },
): Promise<NewJob> => {
  const { incremental, deduplicationStrategy = 'upsert' } = body
  const place = readDataPlace(body)
  if (body.useTimestampFromDataFile) throw notImplemented('useTimestampFromDataFile')
  const csv = readCsvSettings(body)
  const primaryKey = requestedKey(body.primaryKey, raw.headers)
  const key = primaryKey.length === 0 ? {} : { primaryKey }
  return {
    input: {
      operationName: 'tableImport',
      tableId,
      ...(await sealDataPlace(place, services)),
      csv,
      incremental,
      ...key,
    },
    admit: async () => {
      const { snapshot } = await findOwnTable(services, tableId)
      // Without a primary key nothing is deduplicated, so both strategies are the same.
      if (deduplicationStrategy === 'insert' && snapshot.primaryKey.length > 0)
        throw notImplemented('deduplicationStrategy=insert')
      return {
        params: { ...csv, incremental, ...key },
        source: await admitDataPlace(place, caller, services),
        queue: 'main',
      }
    },
  }
}

const requestedKey = (given: string | string[] = [], headers: Headers): string[] => {
  if (!Array.isArray(given)) return readKeyColumns(given)
  // The Python client sends the columns of the file as `primaryKey[]` of a form. There a list is not a key.
  const isForm = /form/i.test(headers.get('content-type') ?? '')
  return isForm ? [] : [...new Set(given)]
}

const notImplemented = (option: string) => new UserError('notImplemented', `"${option}" is not supported.`)
