import type { FilePlace } from '../lib/storage/files/list-slices.ts'
import type { MergeSlicesServices } from './services.ts'

/** Where a file lies and who may read it. */
export interface FileAccess extends FilePlace {
  /** Whether the same client may also write the destination, so that S3 copies by itself. */
  canCopy: boolean
}

/**
 * Our own rights when the file lies in the bucket of this stack; otherwise the credentials that the service issues for
 * this one file. They last an hour and a step at most fifteen minutes, so each step asks for its own.
 */
export const openFile = async (
  fileId: number,
  { storage, s3, filesBucket, s3ForFile }: MergeSlicesServices,
): Promise<FileAccess> => {
  const file = await storage.file(fileId)
  const { bucket, key } = file.s3Path
  const canCopy = bucket === filesBucket
  return { s3: canCopy ? s3 : s3ForFile(file), bucket, key, isSliced: file.isSliced, canCopy }
}
