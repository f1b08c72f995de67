import { UserError } from '../../lib/errors/errors.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import { type FileRecord, type FileStore, maySeeFile } from '../../lib/storage/files/file-store.ts'
import { accessDenied } from '../http/rights.ts'
import type { Caller } from '../services/services.ts'

/** The file of a path: below a branch also one of the default branch. Errors: 404 `storage.files.notFound`; 403 `accessDenied` if the caller may not see it. */
export const findFile = async (
  files: Pick<FileStore, 'getReadable'>,
  fileId: string,
  caller: Caller,
): Promise<FileRecord> => {
  const file = await storedUnder(fileId, files.getReadable)
  if (!file) throw fileNotFound()
  if (!maySeeFile(caller, file)) throw accessDenied()
  return file
}

/**
 * The file of a path, for a caller who wants to change it. Errors: 404 `storage.files.notFound`, also for a file of
 * another branch; 403 `accessDenied` for a file of another token, even if the caller sees all files.
 */
export const findFileToChange = async (
  files: FileStore,
  fileId: string,
  caller: Caller,
): Promise<FileRecord> => {
  const file = await findFile({ getReadable: files.get }, fileId, caller)
  if (!mayChangeFile(caller, file))
    throw accessDenied('the right to change this file, which the token that made it has')
  return file
}

export const mayChangeFile = ({ isMaster, tokenId }: Caller, { creatorToken }: FileRecord): boolean =>
  isMaster || creatorToken.id === tokenId

export const fileNotFound = (): UserError => new UserError('storage.files.notFound', 'File not found')
