import { z } from '@hono/zod-openapi'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { anyObject, wireDateText } from '../http/body-fields.ts'

/** The event on the wire (docs/reference/storage-api.md#events). */
export const eventResource = (event: EventRecord, baseUrl: string) => ({
  id: event.id,
  uuid: event.uuid,
  event: event.event,
  component: event.component,
  message: event.message,
  description: event.description,
  type: event.type,
  runId: event.runId,
  configurationId: event.configurationId,
  created: wireDate(event.created),
  params: JSON.parse(event.params),
  results: JSON.parse(event.results),
  performance: JSON.parse(event.performance),
  duration: event.duration,
  idBranch: event.branchId,
  objectType: event.objectType,
  objectId: event.objectId === '' ? null : event.objectId,
  token: { id: Number(event.token.id), name: event.token.name },
  attachments: [],
  uri: `${baseUrl}/v2/storage/events/${event.id}`,
})

const looseJson = z.union([anyObject, z.array(z.unknown())])

export const eventBody = z
  .object({
    id: z.int(),
    uuid: z.string(),
    event: z.string(),
    component: z.string().openapi({ example: 'ex-generic-v2' }),
    message: z
      .string()
      .openapi({ example: 'The configuration was sent inside another "configuration" node.' }),
    description: z.string(),
    type: z.enum(['info', 'success', 'warn', 'error']),
    runId: z.string().nullable(),
    configurationId: z.string().nullable(),
    created: wireDateText,
    params: looseJson,
    results: looseJson,
    performance: looseJson,
    duration: z.number().nullable(),
    idBranch: z.int(),
    objectType: z.enum(['table', 'bucket']).nullable(),
    objectId: z.string().nullable(),
    token: z.object({ id: z.int(), name: z.string() }),
    attachments: z.array(z.unknown()),
    uri: z.string(),
  })
  .openapi('Event')
