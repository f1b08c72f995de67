import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'

/** The event of a change of one tag. */
export const tagEvent = (
  name: 'fileTagAdded' | 'fileTagDeleted',
  file: Pick<FileRecord, 'id' | 'name'>,
  tag: string,
) => auditEvent(name, { id: String(file.id), name: file.name, words: { tag }, params: { tag } })
