import type { Route } from '../http/route.ts'
import { addFileTag, removeFileTag } from './file-tags.ts'
import { prepareFile } from './prepare-file.ts'
import { deleteFile, getFile, listFiles, refreshFile } from './read-files.ts'
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
