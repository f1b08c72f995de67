import { recordEvent } from '../events/record-event.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { fileNotFound, findFileToChange } from './find-file.ts'
import { tagEvent } from './tag-event.ts'

/** Removes a tag. Idempotent. */
export const removeFileTag = defineRoute({
  method: 'delete',
  path: '/v2/storage/files/{fileId}/tags/{tag}',
  lastParamTakesSlashes: true,
  summary: 'Remove a tag from a file',
  tag: 'files',
  replies: { 204: 'Removed', 403: 'Another token made the file', 404: 'There is no such file' },
  handle: async (request, services) => {
    const { params, caller } = request
    const { files } = services
    const { id } = await findFileToChange(files, params.fileId, caller)
    const updated = await files.update(id, file => ({
      ...file,
      tags: file.tags.filter(tag => tag !== params.tag),
    }))
    if (!updated) throw fileNotFound()
    await recordEvent(request, services, tagEvent('fileTagDeleted', updated, params.tag))
    return noContent()
  },
})
