import { Readable } from 'node:stream'
import type { ItemWrite } from '../../lib/items/item-table.ts'
import { attachmentOf } from '../../lib/storage/events/audit-event.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { tellingAudit } from '../http/record-event.ts'
import type { Sender } from '../http/route-definition.ts'
import { fileKey, newFileRecord } from '../services/file-access.ts'
import type { Services } from '../services/services.ts'

/** Bytes that are stored, and no file yet. */
export interface Stored {
  id: number
  key: string
  filename: string
  sizeBytes: number
  createdAt: Date
}

const CONTENT_TYPE = 'application/octet-stream'

/** Stores a stream whose length nobody knows yet, for a file that is listed when all of it is there. */
export const storeBytes = async (
  stream: Readable,
  filename: string,
  { fileAccess, nextId, now, projectId }: Services,
): Promise<Stored> => {
  const [id, createdAt] = [nextId(), now()]
  const key = fileKey(projectId, id, { name: filename, created: createdAt })
  let sizeBytes = 0
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    // All are streams of bytes: of a form, of a result, or made of one buffer.
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length
      yield chunk
    }
  }
  await fileAccess.upload(key, Readable.from(counted(), { objectMode: false }), CONTENT_TYPE)
  return { id, key, filename, sizeBytes, createdAt }
}

/** The file of stored bytes, with its event. */
export const listStored = async (
  { id: firstId, key, sizeBytes, createdAt }: Stored,
  { name, tags }: { name: string; tags: string[] },
  request: Sender,
  services: Services,
): Promise<FileRecord> => {
  const settings = {
    name,
    sizeBytes,
    contentType: CONTENT_TYPE,
    isPublic: false,
    isPermanent: false,
    isEncrypted: true,
    isSliced: false,
    tags,
    runId: request.runId,
    creatorToken: { id: request.caller.tokenId, description: 'file upload' },
  }
  const { files, nextId, projectId } = services
  // The key does not change, even if another process has taken its id in the meantime.
  const ids = [firstId]
  return files.create(
    () => ids.pop() ?? nextId(),
    id => ({ ...newFileRecord(id, settings, { projectId, now: createdAt }), key }),
    { told: made => tellingUpload(request, services, made) },
  )
}

/** The event of a new file. Its content may follow: clients put it into the object store themselves. */
export const tellingUpload = (sender: Sender, services: Services, file: FileRecord): ItemWrite[] => {
  const { id, name, isSliced, tags } = file
  const attachments = [attachmentOf(file)]
  return tellingAudit(sender, services, 'fileUploaded', {
    id: String(id),
    name,
    params: { isSliced, tags },
    attachments,
  })
}
