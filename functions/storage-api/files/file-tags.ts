import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { fileNotFound, findFileToChange } from '../find/find-file.ts'
import { text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('files')

/** The event of a change of one tag. */
const tagEvent = (
  name: 'fileTagAdded' | 'fileTagDeleted',
  file: Pick<FileRecord, 'id' | 'name'>,
  tag: string,
) => auditEvent(name, { id: String(file.id), name: file.name, words: { tag }, params: { tag } })

const MAX_TAGS = 500

/** Adds a tag. Idempotent. */
routes.post('/v2/storage/files/{fileId}/tags', {
  summary: 'Add a tag to a file',
  body: z.object({ tag: text({ min: 1, max: 200 }) }),
  replies: { 204: 'Added', 403: 'Another token made the file', 404: 'There is no such file' },
  handle: async (request, services) => {
    const { params, body, caller } = request
    const { files } = services
    const { id } = await findFileToChange(files, params.fileId, caller)
    const updated = await files.update(id, file => {
      const tags = [...new Set([...file.tags, body.tag])]
      if (tags.length > MAX_TAGS)
        throw new UserError('storage.validation', `A file has at most ${MAX_TAGS} tags.`)
      return { ...file, tags }
    })
    if (!updated) throw fileNotFound()
    await recordEvent(request, services, tagEvent('fileTagAdded', updated, body.tag))
  },
})

/** Removes a tag. Idempotent. */
routes.delete('/v2/storage/files/{fileId}/tags/{tag}', {
  lastParamTakesSlashes: true,
  summary: 'Remove a tag from a file',
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
  },
})
