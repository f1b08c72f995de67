import { attachmentOf, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import { type EventSender, recordEvent } from '../http/record-event.ts'
import type { Services } from '../services/services.ts'

/** The event of a new file. Its content may follow: clients put it into the object store themselves. */
export const recordUpload = (sender: EventSender, services: Services, file: FileRecord): Promise<void> => {
  const { id, name, isSliced, tags } = file
  const attachments = [attachmentOf(file)]
  const event = auditEvent('fileUploaded', { id: String(id), name, params: { isSliced, tags }, attachments })
  return recordEvent(sender, services, event)
}
