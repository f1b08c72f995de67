import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { rowSource } from '../../lib/storage/tables/aliases/row-source.ts'
import { withIsoTimes } from '../../lib/storage/tables/row-selection.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import { type Filter, namedColumns } from '../../lib/table-engine/rows/row-conditions.ts'
import { parseCondition } from '../../lib/table-engine/rows/written-condition.ts'
import { findOwnTable, findTableWithFiles } from '../find/find-table.ts'
import { flag } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services/services.ts'
import { readRowQuery, rowQueryFields } from './row-query.ts'
import { writtenFilters, where as writtenWhere } from './written-filters.ts'

export const routes = routesOf('tables')

const { whereColumn, whereOperator, whereValues, whereFilters, changedSince, changedUntil } = rowQueryFields

/** Conditions may be in the query or in the body. If both have one, the body's wins. */
const fields = z.object({
  whereColumn,
  whereOperator,
  whereValues,
  whereFilters,
  changedSince,
  changedUntil,
  where: writtenWhere,
  allowTruncate: flag().optional(),
  erase: flag().optional(),
})

/**
 * Deletes the rows that match all conditions, by a job `tableRowsDelete`. Deleting all rows needs `allowTruncate`. With `erase` no file
 * of the table holds a deleted row any more, those of before included, and its earlier states are gone.
 */
routes.delete('/v2/storage/tables/{tableId}/rows', {
  summary: 'Delete rows of a table',
  refusesOthers: true,
  query: fields,
  body: fields,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableRowsDelete`',
    400: 'No conditions and no `allowTruncate`, or a condition is wrong',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { allowTruncate = false, erase = false, ...asked } = { ...request.query, ...set(request.body) }
    const { where: filters = [], ...times } = readRowQuery(asked, services.now())
    const where = [...filters, ...(await readWritten(asked.where, tableId, services))]
    const conditions = { where, ...withIsoTimes(times) }
    // None of no values is every row: whoever keeps what a list names sends this when the list is empty.
    const isEveryRow = where.every(({ operator, values }) => operator === 'ne' && values.length === 0)
    if (isEveryRow && !times.changedSince && !times.changedUntil && !allowTruncate)
      throw new UserError(
        'storage.tables.validation.unintendedTruncation',
        'No filters have been specified, which will truncate the table, but the `allowTruncate` parameter was not set.',
      )
    return submitJob(request, services, {
      input: { operationName: 'tableRowsDelete', tableId, conditions, ...(erase && { erase }) },
      admit: async () => {
        const { snapshot } = await findOwnTable(services, tableId)
        const unknown = namedColumns({ where, ...times }).find(name => !columnNames(snapshot).includes(name))
        if (unknown !== undefined)
          throw new UserError(
            'storage.tables.columnNotExists',
            `Filter validation: Cannot filter by column "${unknown}", column does not exist`,
          )
        return { deleteParams: { ...(erase ? { erase } : asked), allowTruncate } }
      },
    })
  },
})

/** Where nobody wrote one, the table is looked at when the job is admitted. */
const readWritten = async (
  written: string[] | undefined,
  tableId: string,
  services: Services,
): Promise<Filter[]> => {
  if (written === undefined) return []
  await findOwnTable(services, tableId)
  const table = await findTableWithFiles(services, tableId)
  const engine = await services.tableEngine()
  return writtenFilters(written.map(parseCondition), query => rowSource(table, query), engine)
}

const set = <Fields extends object>(fields: Fields): Partial<Fields> =>
  // Entries are only removed, so the rest are fields of the same object.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
