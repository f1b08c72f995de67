import { deleteFileObjects } from '../../lib/storage/files/delete-file-objects.ts'
import type { RunJobServices } from '../services.ts'

/** The record goes last: as long as it is there, a delete that broke off can be repeated. */
export const deleteFile = async (
  fileId: number,
  { files, s3, filesBucket }: Pick<RunJobServices, 'files' | 's3' | 'filesBucket'>,
): Promise<void> => {
  const file = await files.get(fileId)
  if (!file) return
  await deleteFileObjects(s3, filesBucket, file)
  await files.delete(file.id)
}
