import { z } from '@hono/zod-openapi'
import { parseExactly } from '../../lib/json/parse-exactly.ts'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { uuidOfEvent } from '../../lib/storage/events/event-uuid.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { anyObject, wireDateText } from '../http/body-fields.ts'

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
  context: JSON.parse(event.context),
  params: parseExactly(event.params),
  results: parseExactly(event.results),
  performance: {
    ...Object(parseExactly(event.performance)),
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

const looseJson = z.union([anyObject, z.array(z.unknown())])

export const eventBody = z
  .object({
    uuid: z.string().openapi({ example: '0190b2c4-7d1e-7a3b-9c4d-5e6f708192a3' }),
    id: z.int(),
    event: z.string().openapi({ example: 'ext.ex-generic-v2.' }),
    component: z.string().openapi({ example: 'ex-generic-v2' }),
    message: z
      .string()
      .openapi({ example: 'The configuration was sent inside another "configuration" node.' }),
    description: z.string(),
    type: z.enum(['info', 'success', 'warn', 'error']),
    runId: z.string().nullable(),
    created: wireDateText,
    configurationId: z.string().nullable(),
    objectId: z.string().nullable(),
    objectName: z.string().nullable(),
    objectType: z.string().nullable().openapi({ example: 'table' }),
    context: anyObject,
    params: looseJson,
    results: looseJson,
    performance: anyObject,
    /** Our addition: also in `performance`. */
    duration: z.number().nullable(),
    token: z.object({ id: z.int(), name: z.string() }),
    idBranch: z.int(),
    uri: z.string(),
    attachments: z.array(
      z.object({
        isSliced: z.boolean(),
        uploadType: z.literal('userUpload'),
        isExpired: z.boolean(),
        name: z.string(),
        id: z.int(),
        created: wireDateText,
        url: z.string(),
        sizeBytes: z.int(),
      }),
    ),
  })
  .openapi('Event')
