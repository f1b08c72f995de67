import { HeadObjectCommand, NotFound } from '@aws-sdk/client-s3'
import { UserError } from '../lib/errors/errors.ts'
import { readManifest } from '../lib/storage/files/read-manifest.ts'
import type { CsvOptions } from '../lib/storage/jobs/job-record.ts'
import type { CsvSource } from '../lib/table-engine/load-request.ts'
import type { RunJobServices } from './services.ts'

/**
 * Where the data of a file resource is: its object, or the slices of its manifest.
 *
 * Errors: `storage.files.notFound`, `storage.fileNotUploaded`, and those of the manifest.
 */
export const resolveCsvSource = async (
  fileId: number,
  csv: CsvOptions,
  { files, s3, filesBucket }: Pick<RunJobServices, 'files' | 's3' | 'filesBucket'>,
): Promise<CsvSource> => {
  const file = await files.get(fileId)
  if (!file) throw new UserError('storage.files.notFound', `The file ${fileId} was not found.`)
  if (file.isSliced) return { ...csv, isSliced: true, slices: await readManifest(s3, filesBucket, file.key) }

  try {
    await s3.send(new HeadObjectCommand({ Bucket: filesBucket, Key: file.key }))
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    throw new UserError(
      'storage.fileNotUploaded',
      `The file ${fileId} was prepared but not uploaded. Upload it to the place that files/prepare named, then import it.`,
      { cause: error },
    )
  }
  return { ...csv, isSliced: false, slices: [{ bucket: filesBucket, key: file.key }] }
}
