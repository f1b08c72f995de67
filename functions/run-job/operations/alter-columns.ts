import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { descriptionMetadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { AliasRecord } from '../../lib/storage/tables/aliases/alias-record.ts'
import {
  refuseReferencedColumn,
  withAliasColumn,
  withoutAliasColumn,
} from '../../lib/storage/tables/aliases/alias-rules.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { changeDefinition, hasEmptyRows } from '../../lib/storage/tables/change-definition.ts'
import {
  findTypedColumn,
  refuseColumn,
  refuseColumnDelete,
  refuseTypedColumn,
} from '../../lib/storage/tables/table-columns.ts'
import { columnField } from '../../lib/storage/tables/table-definition.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { type TableHead, type TableRecord, timeAfter } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { refuseTakenName, renameTable } from '../../lib/storage/tables/update-table.ts'
import {
  isTypedTable,
  type Snapshot,
  withColumns,
  withFields,
  withoutColumn,
} from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { changeTable } from './change-table.ts'
import { type Outcome, tableResults } from './outcome.ts'

/**
 * Adds a column, empty in every row: existing files need no change. A typed column with a default gets it in every row,
 * in new files. A warning says when the column got another name. An alias shows one more column of its source.
 */
export const addColumn = async (
  job: ProcessingJob,
  input: InputOf<'tableColumnAdd'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { tableId, name, requestedName, definition } = input
  const alias = await services.tables.getAlias(tableId)
  if (alias) return changeColumns(alias, services, table => withAliasColumn(table, name))
  return changeTable(tableId, services, async table => {
    refuseColumn(table, name)
    return {
      table: {
        ...table,
        snapshot: await withNewColumn(job, table, { name, definition }, services),
        ...(table.definition &&
          definition && {
            definition: { ...table.definition, columns: [...table.definition.columns, definition] },
          }),
      },
      ...(requestedName !== undefined && {
        results: {
          column: name,
          warnings: [
            `The column was added as "${name}", because "${requestedName}" is no valid name of a column.`,
          ],
        },
      }),
    }
  })
}

const withNewColumn = async (
  job: ProcessingJob,
  table: TableRecord,
  { name, definition }: Pick<InputOf<'tableColumnAdd'>, 'name' | 'definition'>,
  services: RunJobServices,
): Promise<Snapshot> => {
  const { snapshot, internalId } = table
  if (!definition || !isTypedTable(snapshot)) return withColumns(snapshot, [name])
  refuseTypedColumn(table, definition)
  const added = withFields(snapshot, [columnField(definition)])
  if (definition.definition.default === undefined || snapshot.rowsCount === 0) return added
  const engine = await services.tableEngine()
  const keyPrefix = `tables/${internalId}/${job.id}/`
  const filled = await engine.fillColumn({
    snapshot: added,
    column: name,
    keyPrefix,
    at: timeAfter(new Date(job.startTime), table),
  })
  services.log.info('Column filled', { jobId: job.id, bytesRead: filled.bytesRead })
  return filled.snapshot
}

/** Deletes a column with its values and then its metadata. Existing files need no change. */
export const deleteColumn = async (
  _job: ProcessingJob,
  { tableId, name, force = false }: InputOf<'tableColumnDelete'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const alias = await services.tables.getAlias(tableId)
  if (alias)
    return {
      ...changeColumns(alias, services, table => withoutAliasColumn(table, name)),
      rest: { internalId: alias.internalId },
    }
  const changed = await changeTable(tableId, services, async table => {
    refuseColumnDelete(table, name)
    await refuseReferencedColumn(table, name, { ...services, force })
    return { table: { ...table, snapshot: withoutColumn(table.snapshot, name) } }
  })
  return { ...changed, rest: { internalId: changed.table.internalId } }
}

/** Shows one more column of the source, or one less, which the source keeps. */
const changeColumns = (
  alias: AliasRecord,
  { tables, projectId }: RunJobServices,
  columnsOf: (table: Parameters<typeof withAliasColumn>[0]) => string[],
): Outcome => ({
  results: null,
  decide: async () => {
    const tableId = tableIdOf(alias)
    const [current, table] = [await tables.getAlias(tableId), await tables.getHead(tableId)]
    if (current?.internalId !== alias.internalId || !table || !isAliased(table))
      throw tableNotFound(tableId, projectId)
    return tables.replacingAlias({ ...current, columns: columnsOf(table) })
  },
})

/** Changes what a typed column allows. The files stay: readers take their values as the wider type. */
export const updateColumnDefinition = async (
  job: ProcessingJob,
  { tableId, name, change }: InputOf<'tableColumnDefinitionUpdate'>,
  services: RunJobServices,
) => {
  const changed = await changeTable(tableId, services, async table => ({
    table: await withChangedColumn(table, { name, change }, services),
  }))
  return { ...changed, results: await tableResults(job, changed.table, services) }
}

const withChangedColumn = async (
  table: TableRecord,
  { name, change }: Pick<InputOf<'tableColumnDefinitionUpdate'>, 'name' | 'change'>,
  services: RunJobServices,
): Promise<TableRecord> => {
  const { column, definition } = findTypedColumn(table, name)
  const wanted = changeDefinition(column, change, services.roundsNumbers)
  const mustBeFilled = column.definition.nullable && !wanted.definition.nullable
  if (mustBeFilled && (await hasNull(table, name, services))) throw hasEmptyRows(column)
  const { type, rules } = changeType(table, columnField(wanted), name)
  const columns = definition.columns.map(each => (each.name === name ? wanted : each))
  const fields = table.snapshot.fields.map(field => (field.name === name ? { ...field, type, rules } : field))
  return { ...table, definition: { ...definition, columns }, snapshot: { ...table.snapshot, fields } }
}

/** Changes the columns of a table and its display name, then descriptions. */
export const updateTableDefinition = async (
  job: ProcessingJob,
  { tableId, displayName, columns }: InputOf<'tableDefinitionUpdate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { tables, projectId } = services
  const before = await tables.getHead(tableId)
  if (!before) throw tableNotFound(tableId, projectId)
  if (displayName !== undefined) await refuseTakenName({ ...before, displayName }, tables)
  const { internalId } = before
  const changes = columns.filter(({ change }) => Object.keys(change).length > 0)
  const withChanges = async (table: TableRecord): Promise<{ table: TableRecord }> => {
    let changed = displayName === undefined ? table : { ...table, displayName }
    for (const each of changes) changed = await withChangedColumn(changed, each, services)
    return { table: changed }
  }
  const isRenamed = displayName !== undefined
  const changed =
    changes.length > 0
      ? await changeTable(tableId, services, withChanges, { isRenamed })
      : renamed(before, displayName ?? before.displayName, services)
  return { ...changed, results: await tableResults(job, changed.table, services), rest: { internalId } }
}

const renamed = (before: TableHead, displayName: string, services: RunJobServices) => ({
  table: { ...before, displayName },
  decide: async () => (await renameTable(tableIdOf(before), displayName, services)).decision,
})

/** Sets the descriptions that the job was asked for, or takes them away. */
export const describeTable = async (
  { description, columns }: InputOf<'tableDefinitionUpdate'>,
  table: { internalId: number },
  services: RunJobServices,
): Promise<void> => {
  for (const described of [{ name: '', description }, ...columns])
    await describe(table, { ...described, column: described.name }, services)
}

/** As people set it in the console of the service: they may change it by its metadata, too. */
const describe = async (
  table: { internalId: number },
  { column, description }: { column: string; description?: string | undefined },
  { metadata, nextId }: RunJobServices,
): Promise<void> => {
  if (description === undefined) return
  const subject = metadataSubject.table(table)
  const { key, provider } = descriptionMetadatum
  if (description !== '')
    return metadata.set(subject, { key, provider, column, value: description }, nextId())
  const all = await metadata.list(subject)
  const found = all.find(each => each.key === key && each.provider === provider && each.column === column)
  if (found) await metadata.delete(subject, found.id, column)
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
