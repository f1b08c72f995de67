import { COMPONENT, type StartImportDependencies } from './dependencies.ts'

/**
 * Says, once for a table, that files of another key replace all its rows too: daily files in one folder mostly are to add
 * theirs. The warning is an event of the service, and a line of the log.
 */
export const sayOtherKey = async (
  { records, storage, log }: Pick<StartImportDependencies, 'records' | 'storage' | 'log'>,
  { key, tableId }: { key: string; tableId: string },
): Promise<void> => {
  const other = await records.otherKeyOf(tableId, key)
  if (other === undefined) return
  const message =
    `${key} replaces all rows of ${tableId}, as ${other} did. If each file is to add its rows: ` +
    `npx millrace tables settings ${tableId} --incremental`
  log.warn('another key replaces the table', { key, other, tableId })
  const event = { component: COMPONENT, type: 'warn', message, params: { tableId, key, other } } as const
  // Who hears nothing of it still has the line of the log.
  await storage
    .postEvent(event, `other-key-${tableId}`)
    .catch((error: unknown) => log.warn('the event could not be stored', { tableId, error }))
  await records.otherKeySaid(tableId)
}
