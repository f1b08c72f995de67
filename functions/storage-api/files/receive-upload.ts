import { Readable } from 'node:stream'
import { z } from 'zod'
import { cutText } from '../../lib/cut-text.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { fileBody } from '../../lib/wire/file-body.ts'
import { parseFields } from '../http/parse-fields.ts'
import { readBody } from '../http/read-body.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { fileResource } from './file-resource.ts'
import { listStored, type Stored, storeBytes } from './store-upload.ts'

export const routes = routesOf('importer')

export interface Upload {
  /** The other fields of the form. */
  fields: Record<string, unknown>
  /** `undefined`: the request has no data. */
  file: FileRecord | undefined
}

/** For the OpenAPI document: data in the request itself, which is streamed and not read by a schema. */
export const uploadForm = z.object({
  data: z.string().meta({ format: 'binary' }),
  name: z.string().optional(),
})

const MAX_NAME_LENGTH = 500

/**
 * Stores the data of a request, from the file `data` of a multipart form or from the field `dataString`, as a file
 * resource. It is streamed, so its size does not matter here. (Behind API Gateway it does, and the handler reports
 * that.)
 *
 * The record is created after the bytes are stored: a listed file is complete.
 */
export const receiveUpload = async (request: Sender, services: Services): Promise<Upload> => {
  const { fields, stored } = await readParts(request.raw, (stream, filename) =>
    storeBytes(stream, filename, services),
  )
  if (!stored) return { fields, file: undefined }
  const given = typeof fields['name'] === 'string' ? fields['name'].trim() : ''
  const name = cutText((given || stored.filename).toWellFormed(), MAX_NAME_LENGTH)
  return { fields, file: await listStored(stored, { name, tags: [] }, request, services) }
}

const readParts = async (
  raw: Request,
  store: (stream: Readable, filename: string) => Promise<Stored>,
): Promise<{ fields: Record<string, unknown>; stored: Stored | undefined }> => {
  const type = raw.headers.get('content-type')?.trim().toLowerCase() ?? ''
  const entries: [string, string][] = []
  let stored: Stored | undefined
  let hasFile = false
  if (type.startsWith('multipart/form-data')) {
    const { forEachPart } = await import('../http/multipart-parts.ts')
    await forEachPart(raw, {
      fileField: 'data',
      onField: (name, value) => {
        entries.push([name, value])
      },
      onFile: async (name, stream, { filename }) => {
        if (name !== 'data' || hasFile) {
          stream.resume()
          return
        }
        hasFile = true
        stored = await store(stream, filename || 'data')
      },
    })
  }
  const fields = type.startsWith('multipart/form-data') ? parseFields(entries) : await readBody(raw)
  const { dataString, ...others } = fields
  if (stored === undefined && typeof dataString === 'string')
    stored = await store(Readable.from([Buffer.from(dataString)]), 'data.csv')
  return { fields: others, stored }
}

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
