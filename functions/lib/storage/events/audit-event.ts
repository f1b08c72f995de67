import type { FileRecord } from '../files/file-store.ts'
import { expiryOf } from '../files/file-store.ts'
import { auditNames } from './audit-names.ts'
import type { EventRecord } from './event-store.ts'

export type AuditEventName = keyof typeof auditNames

interface AuditFacts {
  /** Of what the event is about. */
  id?: string
  name?: string
  /** More words of the message. */
  words?: Record<string, string>
  params?: object
  results?: object
  attachments?: EventRecord['attachments']
}

type AuditEvent = Pick<
  EventRecord,
  | 'event'
  | 'component'
  | 'type'
  | 'message'
  | 'objectType'
  | 'objectId'
  | 'objectName'
  | 'params'
  | 'results'
  | 'attachments'
>

/**
 * The event that a change makes: `auditEvent('bucketCreated', { id: 'in.c-main', name: 'c-main' })` is
 * `storage.bucketCreated` with the message `Created bucket in.c-main`.
 */
export const auditEvent = (
  name: AuditEventName,
  { id = '', name: objectName, words = {}, params = {}, results = {}, attachments = [] }: AuditFacts,
): AuditEvent => {
  const { about, message } = auditNames[name]
  return {
    event: `storage.${name}`,
    component: 'storage',
    type: 'success',
    message: filled(message, { id, name: objectName ?? id, ...words }),
    objectType: id === '' ? null : about,
    objectId: id,
    objectName: objectName ?? null,
    params: JSON.stringify(params),
    results: JSON.stringify(results),
    attachments,
  }
}

/** In one pass, so that a name which looks like a placeholder stays as it is. */
const filled = (message: string, words: Record<string, string>): string =>
  message.replaceAll(/\{(\w+)\}/g, (_placeholder, word: string) => words[word] ?? '')

/** A file as an event remembers it. */
export const attachmentOf = (file: FileRecord): EventRecord['attachments'][number] => ({
  id: file.id,
  name: file.name,
  isSliced: file.isSliced,
  sizeBytes: file.sizeBytes,
  created: file.created,
  expires: expiryOf(file)?.toISOString() ?? null,
})
