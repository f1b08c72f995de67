import { z } from '@hono/zod-openapi'
import { emptyList, noValue, wireDateText } from '../http/body-fields.ts'
import { metadatumBody } from '../metadata/metadata-resource.ts'

/** The admin of the project who answers for a bucket. */
export const ownerBody = z.object({ id: z.int(), name: z.string(), email: z.string() })

/** A bucket as in lists and inside a table: `tables` is an address (docs/reference/storage-api.md#buckets). */
export const bucketBody = z
  .object({
    uri: z.string(),
    id: z.string().openapi({ example: 'in.c-main' }),
    name: z.string().openapi({ example: 'c-main' }),
    displayName: z.string().openapi({ example: 'main' }),
    idBranch: z.int(),
    stage: z.enum(['in', 'out']),
    description: z.string(),
    tables: z.string(),
    created: wireDateText,
    lastChangeDate: wireDateText,
    updated: wireDateText.nullable(),
    isReadOnly: z.boolean(),
    dataSizeBytes: z.int(),
    rowsCount: z.int(),
    isMaintenance: z.boolean(),
    backend: z.string(),
    sharing: noValue,
    bucketSharingAllowed: noValue,
    hasExternalSchema: z.boolean(),
    databaseName: z.string(),
    path: z.string(),
    backendPath: z.array(z.string()),
    isSnowflakeSharedDatabase: z.boolean(),
    owner: ownerBody.nullable(),
    color: z.string().nullable(),
    isLinkedBucket: z.boolean(),
    metadata: z.array(metadatumBody).optional(),
    attributes: emptyList.optional(),
  })
  .openapi('Bucket')
