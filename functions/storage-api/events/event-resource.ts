import { parseJson } from '../../lib/json/parse-json.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { uuidOfEvent } from '../../lib/storage/events/event-uuid.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'

/** The event on the wire (docs/reference/storage-api.md#events). */
export const eventResource = (event: EventRecord, { baseUrl, now }: { baseUrl: string; now: Date }) => ({
  uuid: uuidOfEvent(event.id),
  id: event.id,
  event: event.event,
  component: event.component,
  message: event.message,
  description: event.description,
  type: event.type,
  runId: event.runId,
  created: wireDate(event.created),
  configurationId: event.configurationId,
  objectId: event.objectId === '' ? null : event.objectId,
  objectName: event.objectName,
  objectType: event.objectType,
  context: parseJson(event.context),
  params: parseJson(event.params),
  results: parseJson(event.results),
  performance: {
    ...Object(parseJson(event.performance)),
    ...(event.duration !== null && { duration: event.duration }),
  },
  duration: event.duration,
  token: { id: Number(event.token.id), name: event.token.name },
  idBranch: event.branchId,
  uri: `${baseUrl}/v2/storage/events/${event.id}`,
  attachments: event.attachments.map(({ id, name, isSliced, sizeBytes, created, expires }) => ({
    isSliced,
    uploadType: 'userUpload' as const,
    isExpired: expires !== null && expires <= now.toISOString(),
    name,
    id,
    created: wireDate(created),
    url: `${baseUrl}/v2/storage/files/${id}`,
    sizeBytes,
  })),
})
