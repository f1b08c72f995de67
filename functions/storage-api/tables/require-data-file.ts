import { UserError } from '../../lib/errors/errors.ts'

/** Other sources of table data in the API. */
const otherSources = [
  'snapshotId',
  'sourceTableId',
  'dataWorkspaceId',
  'dataObject',
  'dataTableName',
  'dataUrl',
] as const

/** The file to load, by `dataFileId`. Errors: 501 `notImplemented`, 400 `storage.tables.validation`. */
export const requireDataFile = (
  body: { dataFileId?: number | undefined } & Record<string, unknown>,
): number => {
  if (body.dataFileId !== undefined) return body.dataFileId
  const other = otherSources.find(name => body[name] !== undefined)
  if (other !== undefined)
    throw new UserError('notImplemented', `Tables cannot be loaded from "${other}" here. Use dataFileId.`)
  throw new UserError('storage.tables.validation', 'Table data source is missing: "dataFileId" is required.')
}
