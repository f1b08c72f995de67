import { z } from '@hono/zod-openapi'
import { parseId } from '../../lib/storage/db/ids.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { recordEvent } from '../events/record-event.ts'
import { flag } from '../http/fields.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findFileToChange } from './find-file.ts'

export const deleteFile = defineRoute({
  method: 'delete',
  path: '/v2/storage/files/{fileId}',
  summary: 'Delete a file with its objects',
  tag: 'files',
  query: z.object({ async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `fileDelete`, with `async=1`',
    403: 'Another token made the file',
    404: 'There is no such file',
  },
  handle: async (request, services) => {
    const { fileId } = request.params
    if (request.query.async)
      return submitJob(request, services, {
        input: { operationName: 'fileDelete', fileId: parseId(fileId) ?? 0 },
        admit: async () => ({ fileId: (await findFileToChange(services.files, fileId, request.caller)).id }),
      })
    const file = await findFileToChange(services.files, fileId, request.caller)
    // The record is deleted last: while it exists, an interrupted delete can be repeated.
    await services.fileAccess.deleteObjects(file)
    await services.files.delete(file.id)
    const event = auditEvent('fileDeleted', { id: String(file.id), name: file.name })
    await recordEvent(request, services, event)
    return noContent()
  },
})
