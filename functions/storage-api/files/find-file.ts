import { UserError } from '../../lib/errors.ts'
import type { FileRecord, FileStore } from '../../lib/storage-store/file-store.ts'
import { parseId } from '../../lib/storage-store/ids.ts'

/** The file of a path, or 404 `storage.files.notFound`. */
export const findFile = async (files: FileStore, fileId: string): Promise<FileRecord> => {
  const id = parseId(fileId)
  const file = id === undefined ? undefined : await files.get(id)
  if (!file) throw fileNotFound()
  return file
}

export const fileNotFound = (): UserError =>
  new UserError('storage.files.notFound', 'File not found', { status: 404 })
