import { UserError } from '../../../lib/errors.ts'
import { fileKey } from '../../files/file-key.ts'
import { fileResource } from '../../files/file-resource.ts'
import { newFileRecord } from '../../files/new-file.ts'
import { forEachPart } from '../../wire/multipart-parts.ts'
import { created } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

/**
 * The importer service: takes a file by one multipart form and stores it as it comes, so that its size does not matter
 * here. (Behind API Gateway it does, and the handler says so.)
 *
 * The record is made after the bytes are stored: a file that is listed is whole.
 */
export const uploadFile = defineRoute({
  method: 'post',
  path: '/upload-file',
  summary: 'Upload a file through the importer',
  tag: 'importer',
  replies: { 201: 'The file', 400: 'The form has no file in the field `data`' },
  handle: async ({ raw, runId, caller }, { nextId, now, projectId, files, fileAccess }) => {
    const createdAt = now()
    let uploaded: { id: number; key: string; filename: string; sizeBytes: number } | undefined
    let name: string | undefined

    await forEachPart(raw, {
      fileField: 'data',
      onField: (field, value) => {
        if (field === 'name') name = value
      },
      onFile: async (field, stream, { filename }) => {
        if (field !== 'data' || uploaded) {
          stream.resume()
          return
        }
        const id = nextId()
        const fileName = filename || 'data'
        const key = fileKey(projectId, id, fileName, createdAt)
        uploaded = { id, key, filename: fileName, sizeBytes: 0 }
        await fileAccess.upload(key, stream, 'application/octet-stream')
        uploaded.sizeBytes = stream.bytesRead
      },
    })
    if (!uploaded)
      throw new UserError('storage.validation', 'Invalid request: send the file in the form field "data".')

    const { key, filename, sizeBytes } = uploaded
    const settings = {
      name: name?.trim() ? name.trim().toWellFormed().slice(0, 500) : filename.toWellFormed().slice(0, 500),
      sizeBytes,
      contentType: 'application/octet-stream',
      isPublic: false,
      isPermanent: false,
      isEncrypted: true,
      isSliced: false,
      tags: [],
      runId,
      creatorToken: { id: caller.tokenId, description: 'file upload' },
    }
    // The key stays the one that was written, even when another process took its id in the meantime.
    const ids = [uploaded.id]
    const file = await files.create(
      () => ids.pop() ?? nextId(),
      id => ({
        ...newFileRecord(id, settings, { projectId, now: createdAt }),
        key,
      }),
    )
    return created(await fileResource(file, fileAccess))
  },
})
