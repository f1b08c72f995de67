import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { changeDefinition, hasEmptyRows } from '../../lib/storage/tables/change-definition.ts'
import { findTypedColumn } from '../../lib/storage/tables/table-columns.ts'
import { columnField } from '../../lib/storage/tables/table-definition.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { RunJobServices } from '../services.ts'
import { changeTable } from './change-table.ts'
import { tableResults } from './outcome.ts'

/** Changes what a typed column allows. The files stay: readers take their values as the wider type. */
export const updateColumnDefinition = async (
  job: ProcessingJob,
  { tableId, name, change }: InputOf<'tableColumnDefinitionUpdate'>,
  services: RunJobServices,
) => {
  const { table: changed } = await changeTable(job, tableId, services, async table => {
    const { column, definition } = findTypedColumn(table, name)
    const wanted = changeDefinition(column, change)
    const mustBeFilled = column.definition.nullable && !wanted.definition.nullable
    if (mustBeFilled && (await hasNull(table, name, services))) throw hasEmptyRows(column)
    const { type, rules } = changeType(table, columnField(wanted), name)
    return {
      table: {
        ...table,
        definition: {
          ...definition,
          columns: definition.columns.map(each => (each.name === name ? wanted : each)),
        },
        snapshot: {
          ...table.snapshot,
          fields: table.snapshot.fields.map(field =>
            field.name === name ? { ...field, type, rules } : field,
          ),
        },
      },
    }
  })
  return { table: changed, results: await tableResults(job, changed, services) }
}

/** A number of all digits stays a decimal: it has become one of as many digits, not a 64-bit number. */
const changeType = (
  { snapshot }: TableRecord,
  { type, rules }: ReturnType<typeof columnField>,
  name: string,
) => {
  const before = snapshot.fields.find(field => field.name === name)?.type
  const isWidest = type === 'long' && before !== 'long'
  return { type: isWidest ? ('decimal(38,0)' as const) : type, rules }
}

const hasNull = async (
  { snapshot }: TableRecord,
  name: string,
  services: RunJobServices,
): Promise<boolean> => {
  const engine = await services.tableEngine()
  const where = [{ column: name, operator: 'eq' as const, values: [''] }]
  const { rows } = await engine.preview(snapshot, { columns: [name], where, limit: 1 })
  return rows.length > 0
}
