import type { FilePlace } from '../lib/storage/files/list-slices.ts'
import type { MergeSlicesServices } from './services.ts'

/** Where a file lies and who may read it. */
export interface FileAccess extends FilePlace {
  /** Whether the same client may write the destination too, so that S3 copies by itself. */
  canCopy: boolean
}

/**
 * Our own rights for a file in the bucket of this stack. Otherwise the credentials that the service issues for the
 * file. They are valid for an hour and a step takes at most fifteen minutes, so each step asks for new ones.
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
