import { z } from 'zod'
import { refuseTooLarge } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { findFile } from '../find/find-file.ts'
import { integer } from '../http/fields.ts'
import type { Caller, Services } from '../services/services.ts'

/** Other sources of table data in the API, which are refused by name. */
const otherSources = [
  'dataUrl',
  'snapshotId',
  'sourceTableId',
  'dataWorkspaceId',
  'dataObject',
  'dataTableName',
] as const

/** The fields that say which file a load reads, and those of other sources. */
export const dataPlaceFields = {
  dataFileId: integer().optional(),
  dataUrl: z.unknown().optional().meta({ type: 'string' }),
  dataWorkspaceId: z.unknown().optional().meta({ type: 'string' }),
  dataObject: z.unknown().optional().meta({ type: 'string' }),
  dataTableName: z.unknown().optional().meta({ type: 'string' }),
}

/** The id of the file. Errors: 501 `notImplemented`, 400 `storage.tables.validation`. */
export const readDataPlace = (
  body: { dataFileId?: number | undefined } & Record<string, unknown>,
): number => {
  if (body.dataFileId !== undefined) return body.dataFileId
  const other = otherSources.find(name => body[name] !== undefined && body[name] !== '')
  if (other !== undefined)
    throw new UserError(
      'notImplemented',
      `Tables cannot be loaded from "${other}" here. Upload the data as a file and use dataFileId.`,
    )
  throw new UserError('storage.tables.validation', 'Table data source is missing: "dataFileId" is required.')
}

/**
 * Checks that the caller may read it and that it is not too large to be loaded. Resolves to what a job shows of it. Errors: as `findFile` and `refuseTooLargeFile`.
 */
export const admitDataPlace = async (
  fileId: number,
  caller: Caller,
  services: Services,
): Promise<Record<string, unknown>> => {
  const file = await findFile(services.files, String(fileId), caller)
  await refuseTooLargeFile(file, services)
  return { fileId, fileName: file.name, type: 'file' }
}

/**
 * Refuses a file that no job would load, by what is stored now: 400 `storage.load.sliceTooLarge`.
 * The job looks again. It also says what else is wrong with the file: a file that is not whole yet may become so.
 */
const refuseTooLargeFile = async (
  file: FileRecord,
  { fileAccess, acceptedLoads }: Services,
): Promise<void> => {
  const slices = await fileAccess.slices(file).catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (slices) await refuseTooLarge(slices, acceptedLoads)
}
