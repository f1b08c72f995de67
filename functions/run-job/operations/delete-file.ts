import { deleteFileObjects } from '../../lib/storage/files/file-store.ts'
import type { RunJobServices } from '../job/services.ts'

/** The record is deleted last: while it exists, an interrupted delete can be repeated. */
export const deleteFile = async (
  fileId: number,
  { files, s3, filesBucket }: Pick<RunJobServices, 'files' | 's3' | 'filesBucket'>,
): Promise<void> => {
  const file = await files.get(fileId)
  if (!file) return
  await deleteFileObjects(s3, filesBucket, file)
  await files.delete(file)
}
