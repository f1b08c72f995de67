import type { Route } from '../http/route.ts'
import { deleteFile } from './delete-file.ts'
import { addFileTag, removeFileTag } from './file-tags.ts'
import { getFile, refreshFile } from './get-file.ts'
import { listFiles } from './list-files.ts'
import { prepareFile } from './prepare-file.ts'
import { uploadFile } from './upload-file.ts'

export const filesRoutes: readonly Route[] = [
  listFiles,
  prepareFile,
  getFile,
  refreshFile,
  deleteFile,
  addFileTag,
  removeFileTag,
  uploadFile,
]
