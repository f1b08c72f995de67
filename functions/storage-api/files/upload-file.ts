import { UserError } from '../../lib/errors/errors.ts'
import { fileBody } from '../../lib/wire/file-body.ts'
import { routesOf } from '../http/route.ts'
import { fileResource } from './file-resource.ts'
import { receiveUpload, uploadForm } from './receive-upload.ts'

export const routes = routesOf('importer')

/** The importer service: takes a file by one multipart form. */
routes.post('/upload-file', {
  summary: 'Upload a file through the importer',
  replies: { 201: 'The file', 400: 'The form has no file in the field `data`' },
  reply: fileBody,
  streamedBody: uploadForm,
  handle: async (request, services) => {
    const { file } = await receiveUpload(request, services)
    if (!file)
      throw new UserError('storage.validation', 'Invalid request: send the file in the form field "data".')
    return fileResource(file, services.fileAccess)
  },
})
