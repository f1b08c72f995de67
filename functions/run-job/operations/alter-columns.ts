import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { descriptionMetadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { withAliasColumn, withoutAliasColumn } from '../../lib/storage/tables/aliases/alias-columns.ts'
import type { AliasRecord } from '../../lib/storage/tables/aliases/alias-record.ts'
import { refuseReferencedColumn } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { changeAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
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
import type { TableHead, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { refuseTakenName, updateTable } from '../../lib/storage/tables/update-table.ts'
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
): Promise<{ results: Record<string, unknown> | null }> => {
  const { tableId, name, requestedName, definition } = input
  const alias = await services.tables.getAlias(tableId)
  if (alias) return addAliasColumn(job, alias, { name }, services)
  return changeTable(job, tableId, services, async table => {
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
    at: new Date(job.startTime),
  })
  services.log.info('Column filled', { jobId: job.id, bytesRead: filled.bytesRead })
  return filled.snapshot
}

/** Deletes a column with its values and its metadata. Existing files need no change. */
export const deleteColumn = async (
  job: ProcessingJob,
  { tableId, name, force = false }: InputOf<'tableColumnDelete'>,
  services: RunJobServices,
): Promise<{ results: Record<string, unknown> | null }> => {
  const alias = await services.tables.getAlias(tableId)
  if (alias) return deleteAliasColumn(job, alias, { name }, services)
  const changed = await changeTable(job, tableId, services, async table => {
    refuseColumnDelete(table, name)
    await refuseReferencedColumn(table, name, { ...services, force })
    return { table: { ...table, snapshot: withoutColumn(table.snapshot, name) } }
  })
  await services.metadata.clear(metadataSubject.table(changed.table), name)
  return changed
}

/** Shows one more column of the source. */
const addAliasColumn = (
  job: ProcessingJob,
  alias: AliasRecord,
  { name }: { name: string },
  services: RunJobServices,
) => changeColumns(job, alias, services, table => withAliasColumn(table, name))

/** Shows one column less. The source keeps it. */
const deleteAliasColumn = async (
  job: ProcessingJob,
  alias: AliasRecord,
  { name }: { name: string },
  services: RunJobServices,
) => {
  const changed = await changeColumns(job, alias, services, table => withoutAliasColumn(table, name))
  await services.metadata.clear(metadataSubject.table(alias), name)
  return changed
}

/** The alias stores the job, so that a repeated run finds its work done. */
const changeColumns = async (
  job: ProcessingJob,
  alias: AliasRecord,
  services: RunJobServices,
  columnsOf: (table: Parameters<typeof withAliasColumn>[0]) => string[],
): Promise<{ results: null }> => {
  const change = async (current: AliasRecord): Promise<AliasRecord> => {
    if (current.lastJobId === job.id) return current
    const table = await services.tables.getHead(tableIdOf(current))
    if (!table || !isAliased(table)) throw tableNotFound(tableIdOf(current), services.projectId)
    return { ...current, columns: columnsOf(table), lastJobId: job.id }
  }
  await changeAlias(alias, change, services)
  return { results: null }
}

/** Changes what a typed column allows. The files stay: readers take their values as the wider type. */
export const updateColumnDefinition = async (
  job: ProcessingJob,
  { tableId, name, change }: InputOf<'tableColumnDefinitionUpdate'>,
  services: RunJobServices,
) => {
  const { table: changed } = await changeTable(job, tableId, services, async table => ({
    table: await withChangedColumn(table, { name, change }, services),
  }))
  return { table: changed, results: await tableResults(job, changed, services) }
}

const withChangedColumn = async (
  table: TableRecord,
  { name, change }: Pick<InputOf<'tableColumnDefinitionUpdate'>, 'name' | 'change'>,
  services: RunJobServices,
): Promise<TableRecord> => {
  const { column, definition } = findTypedColumn(table, name)
  const wanted = changeDefinition(column, change)
  const mustBeFilled = column.definition.nullable && !wanted.definition.nullable
  if (mustBeFilled && (await hasNull(table, name, services))) throw hasEmptyRows(column)
  const { type, rules } = changeType(table, columnField(wanted), name)
  const columns = definition.columns.map(each => (each.name === name ? wanted : each))
  const fields = table.snapshot.fields.map(field => (field.name === name ? { ...field, type, rules } : field))
  return { ...table, definition: { ...definition, columns }, snapshot: { ...table.snapshot, fields } }
}

/**
 * Changes the columns of a table, then its display name, then descriptions. What the table refuses is looked at before anything
 * is changed; a run that comes after a crash finds what is done.
 */
export const updateTableDefinition = async (
  job: ProcessingJob,
  { tableId, displayName, description, columns }: InputOf<'tableDefinitionUpdate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { tables, projectId } = services
  const before = await tables.getHead(tableId)
  if (!before) throw tableNotFound(tableId, projectId)
  if (displayName !== undefined) await refuseTakenName({ ...before, displayName }, tables)
  const changes = columns.filter(({ change }) => Object.keys(change).length > 0)
  if (changes.length > 0)
    await changeTable(job, tableId, services, async table => {
      let changed = table
      for (const each of changes) changed = await withChangedColumn(changed, each, services)
      return { table: changed }
    })
  if (displayName !== undefined) await updateTable(tableId, { displayName }, services)
  for (const described of [{ name: '', description }, ...columns])
    await describe(before, { ...described, column: described.name }, services)
  const table = await tables.getHead(tableId)
  return { results: table ? await tableResults(job, table, services) : null }
}

/** As people set it in the console of the service: they may change it by its metadata, too. */
const describe = async (
  table: TableHead,
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
