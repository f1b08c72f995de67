import { UserError } from '../../errors/errors.ts'
import { type Decision, together } from '../../items/item-table.ts'
import { hasNameCharacters } from '../../wire/storage-ids.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from './table-errors.ts'
import type { TableHead } from './table-record.ts'
import type { TableStore } from './table-store.ts'

/**
 * Changes a table's display name: the table with it, and the write. An unchanged name writes nothing.
 *
 * Errors: 404 `storage.tables.notFound`, 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has
 * that display name.
 */
export const renameTable = async (
  tableId: string,
  displayName: string,
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<{ table: TableHead; decision: Decision }> => {
  const table = await tables.getHead(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  if (table.displayName === displayName) return { table, decision: [] }
  await refuseTakenName({ ...table, displayName }, tables)
  return { table: { ...table, displayName }, decision: await tables.renaming(table, displayName) }
}

/** The same at once. Resolves to the table. A load that runs meanwhile builds its change upon that. */
export const updateTable = (
  tableId: string,
  { displayName }: { displayName: string },
  services: { tables: TableStore; projectId: number },
  telling: (table: TableHead) => Decision = () => [],
): Promise<TableHead> =>
  untilWritten(
    () => tableBusy(tableId),
    async () => {
      const { table, decision } = await renameTable(tableId, displayName, services)
      const told = decision?.length === 0 ? [] : await together(decision, telling(table))
      return (await services.tables.decide(told)) ? table : OVERTAKEN
    },
  )

/** Error: 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has that display name. */
export const refuseTakenName = async (
  { bucketId, name, displayName }: { bucketId: string; name: string; displayName: string },
  tables: Pick<TableStore, 'named'>,
): Promise<void> => {
  const named = await tables.named(bucketId, displayName)
  if (named !== undefined && named !== name) throw tableAlreadyExists(named, displayName)
}

const MAX_NAME_LENGTH = 96

/**
 * The name of a new table, and its display name (by default the same).
 *
 * Error: 400 `storage.tables.validation`.
 */
export const checkTableName = ({
  name,
  displayName,
}: {
  name?: string | undefined
  displayName?: string | undefined
}): { name: string; displayName: string } => {
  if (!name) throw invalid('Table create option "name" is required and cannot be empty.')
  const reason = whyBad(name)
  if (reason) throw invalid(`Invalid table name: ${reason}`)
  if (!displayName) return { name, displayName: name }

  const displayReason = displayName.startsWith('_')
    ? `'${displayName.slice(0, 200)}' contains not allowed characters. Cannot start with underscore.`
    : whyBad(displayName)
  if (displayReason) throw invalid(`Invalid data - displayName: ${displayReason}`)
  return { name, displayName }
}

const whyBad = (name: string): string | undefined => {
  const shown = name.slice(0, 200)
  if (!hasNameCharacters(name))
    return `'${shown}' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`
  return name.length > MAX_NAME_LENGTH
    ? `'${shown}' is longer than ${MAX_NAME_LENGTH} characters.`
    : undefined
}

const invalid = (message: string) => new UserError('storage.tables.validation', message)
