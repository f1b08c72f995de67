import { UserError } from '../../lib/errors/errors.ts'

/** Sources of table data that the API knows beside a file. */
const otherSources = [
  'snapshotId',
  'sourceTableId',
  'dataWorkspaceId',
  'dataObject',
  'dataTableName',
  'dataUrl',
] as const

/** The file that a request loads, by `dataFileId`. Errors: 501 `notImplemented`, 400 `storage.tables.validation`. */
export const requireDataFile = (
  body: { dataFileId?: number | undefined } & Record<string, unknown>,
): number => {
  if (body.dataFileId !== undefined) return body.dataFileId
  const other = otherSources.find(name => body[name] !== undefined)
  if (other !== undefined)
    throw new UserError('notImplemented', `Tables cannot be loaded from "${other}" here. Use dataFileId.`)
  throw new UserError('storage.tables.validation', 'Table data source is missing: "dataFileId" is required.')
}
