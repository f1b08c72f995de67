import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { refuseUnknownQueryColumns } from '../../lib/storage/tables/aliases/row-source.ts'
import { withIsoTimes } from '../../lib/storage/tables/row-selection.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { findBranchId } from '../find/find-branch.ts'
import { findTable } from '../find/find-table.ts'
import { flag, integer, text, unlessBlank } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { readRowQuery, refuseHiddenColumns, rowQueryFields } from './row-query.ts'

export const routes = routesOf('tables')

const body = z.object({
  ...rowQueryFields,
  limit: unlessBlank(integer()),
  format: unlessBlank(text({ max: 50 })),
  gzip: flag().default(false),
  fileType: unlessBlank(z.enum(['csv', 'parquet'], { error: 'This value should be csv or parquet.' })),
  includeInternalTimestamp: flag().default(false),
  timezone: unlessBlank(text({ max: 100 })),
  sourceBranchId: unlessBlank(text({ max: 50 })),
})

/**
 * Exports a table to a sliced file, by a job `tableExport` whose results name the file. It exports the table as it is
 * when the job starts, and waits for no other job. `sourceBranchId`: as the table is in that branch.
 */
routes.post('/v2/storage/tables/{tableId}/export-async', {
  summary: 'Export a table to a file',
  access: 'read',
  body,
  validationCode: 'storage.tables.validation',
  replies: { 202: 'The job `tableExport`', 400: 'The request is wrong', 404: 'There is no such table' },
  handle: async (given, ofRequest) => {
    const { tableId } = given.params
    const { gzip, format = 'rfc', timezone, limit, sourceBranchId, ...fields } = given.body
    const fileType = fileTypeOf(format, fields.fileType)
    const branchId =
      sourceBranchId === undefined ? given.branchId : await findBranchId(ofRequest, sourceBranchId)
    const request = { ...given, branchId }
    const services = { ...ofRequest, ...ofRequest.inBranch(branchId) }
    const timestampZone = readTimeZone(timezone)
    const query = readRowQuery(fields, services.now())
    const selection = {
      ...withIsoTimes(query),
      where: query.where ?? [],
      orderBy: query.orderBy ?? [],
      ...(limit && { limit }),
    }
    return submitJob(request, services, {
      input: {
        operationName: 'tableExport',
        tableId,
        selection,
        fileType,
        gzip,
        ...(fields.includeInternalTimestamp && { timestampZone }),
        ...(![given.branchId, defaultBranchId].includes(branchId) && { fileBranchId: given.branchId }),
      },
      admit: async () => {
        const table = await findTable(services, tableId)
        refuseUnknownQueryColumns(table, query)
        refuseHiddenColumns(request.caller, table, query)
        return {
          export: {
            tableName: tableId,
            columns: query.columns ?? columnNames(table.snapshot),
            limit: limit || null,
            changedSince: fields.changedSince ?? null,
            changedUntil: fields.changedUntil ?? null,
            gzipOutput: gzip,
            format,
            whereFilters: selection.where,
            orderBy: selection.orderBy,
            fulltextSearch: fields.fulltextSearch ?? null,
            includeInternalTimestamp: fields.includeInternalTimestamp,
            fileType: fields.fileType ?? 'csv',
            timezone: timestampZone,
          },
        }
      },
    })
  },
})

/** `raw` and `escaped` are CSV dialects that the hosted service no longer offers. */
const fileTypeOf = (format: string, fileType: 'csv' | 'parquet' = 'csv') => {
  if (format === 'rfc') return fileType
  if (format === 'json' && fileType === 'csv') return format
  if (format === 'raw' || format === 'escaped')
    throw new UserError('notImplemented', `The format "${format}" is not supported. Use "rfc".`)
  throw new UserError(
    'storage.tables.validation.invalidFormat',
    `Invalid format "${format}". CSV is exported as "rfc", JSON lines as "json"; Parquet has no other.`,
  )
}

/** Error: 400 `storage.tables.validation` for a name that is no time zone. */
const readTimeZone = (name = 'UTC'): string => {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    if (/^[+-]/.test(timeZone)) throw new RangeError('An offset is no zone where the export is made')
    return timeZone
  } catch (cause) {
    throw new UserError(
      'storage.tables.validation',
      `Invalid request:\n - timezone: "This is no time zone: ${name}"`,
      { cause },
    )
  }
}
