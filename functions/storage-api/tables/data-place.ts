import { z } from '@hono/zod-openapi'
import { refuseTooLarge } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import type { DataPlace } from '../../lib/storage/jobs/job-record.ts'
import { mapDataUrl } from '../../lib/storage/secrets/sealed-secret.ts'
import { findFile } from '../find/find-file.ts'
import { integer, text } from '../http/fields.ts'
import type { Caller } from '../services/authenticate.ts'
import type { Services } from '../services/services.ts'

/** The fields that say where the data of a load is: one of them is required. */
export const dataPlaceFields = {
  dataFileId: integer().optional(),
  dataUrl: text({ max: 8_000 }).optional(),
}

/** Other sources of table data in the API, which are refused by name. */
const otherSources = [
  'snapshotId',
  'sourceTableId',
  'dataWorkspaceId',
  'dataObject',
  'dataTableName',
] as const

export const workspaceFields = {
  dataWorkspaceId: z.unknown().optional().openapi({ type: 'string' }),
  dataObject: z.unknown().optional().openapi({ type: 'string' }),
  dataTableName: z.unknown().optional().openapi({ type: 'string' }),
}

/** A file, or an address that the job reads. Errors: 501 `notImplemented`, 400 `storage.tables.validation`. */
export const readDataPlace = (
  body: { dataFileId?: number | undefined; dataUrl?: string | undefined } & Record<string, unknown>,
): DataPlace => {
  const { dataFileId, dataUrl } = body
  if (dataFileId !== undefined && dataUrl)
    throw new UserError('storage.tables.validation', 'Send either "dataFileId" or "dataUrl", not both.')
  if (dataFileId !== undefined) return { fileId: dataFileId }
  if (dataUrl) return { dataUrl: checkAddress(dataUrl) }
  const other = otherSources.find(name => body[name] !== undefined)
  if (other !== undefined)
    throw new UserError(
      'notImplemented',
      `Tables cannot be loaded from "${other}" here. Use dataFileId or dataUrl.`,
    )
  throw new UserError(
    'storage.tables.validation',
    'Table data source is missing: "dataFileId" or "dataUrl" is required.',
  )
}

const checkAddress = (dataUrl: string): string => {
  const url = URL.parse(dataUrl.trim())
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new UserError(
    'storage.tables.validation',
    'Invalid request:\n - dataUrl: "This value should be an http or https address without user and password."',
  )
}

/** As the record of a job keeps it: the query of an address may hold a signature. */
export const sealDataPlace = async (
  place: DataPlace,
  { seal, projectId }: Pick<Services, 'seal' | 'projectId'>,
): Promise<DataPlace> =>
  place.dataUrl === undefined ? place : { dataUrl: await mapDataUrl(place.dataUrl, projectId, seal) }

/**
 * Checks that the caller may read it and that it is not too large to be loaded. Resolves to what a job shows of it: the
 * query of an address may hold a signature and is left out. Errors: as `findFile` and `refuseTooLargeFile`.
 */
export const admitDataPlace = async (
  { fileId, dataUrl }: DataPlace,
  caller: Caller,
  services: Pick<Services, 'files' | 'fileAccess' | 'acceptedLoads'>,
): Promise<Record<string, unknown>> => {
  if (dataUrl !== undefined) {
    const { origin, pathname } = new URL(dataUrl)
    return { dataUrl: `${origin}${pathname}`, type: 'url' }
  }
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
  { fileAccess, acceptedLoads }: Pick<Services, 'fileAccess' | 'acceptedLoads'>,
): Promise<void> => {
  const slices = await fileAccess.slices(file).catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (slices) await refuseTooLarge(slices, acceptedLoads)
}
