import * as z from 'zod/mini'
import { anyObject, described, wireDateText } from './fields.ts'

const looseJson = z.union([anyObject, z.array(z.unknown())])

/** An event on the wire (docs/reference/storage-api.md#events). */
export const eventBody = z
  .object({
    uuid: z.string().register(described, { example: '0190b2c4-7d1e-7a3b-9c4d-5e6f708192a3' }),
    id: z.int(),
    event: z.string().register(described, { example: 'ext.ex-generic-v2.' }),
    component: z.string().register(described, { example: 'ex-generic-v2' }),
    message: z.string().register(described, {
      example: 'The configuration was sent inside another "configuration" node.',
    }),
    description: z.string(),
    type: z.enum(['info', 'success', 'warn', 'error']),
    runId: z.nullable(z.string()),
    created: wireDateText,
    configurationId: z.nullable(z.string()),
    objectId: z.nullable(z.string()),
    objectName: z.nullable(z.string()),
    objectType: z.nullable(z.string().register(described, { example: 'table' })),
    context: anyObject,
    params: looseJson,
    results: looseJson,
    performance: anyObject,
    /** Our addition: also in `performance`. */
    duration: z.nullable(z.number()),
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
  .register(described, { id: 'Event' })

export type EventBody = z.infer<typeof eventBody>
