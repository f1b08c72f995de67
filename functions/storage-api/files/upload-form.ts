import { z } from '@hono/zod-openapi'
import { creatorToken, wireDateText } from '../http/body-fields.ts'

/**
 * Temporary session credentials of one file's key, or of the prefix of a sliced one
 * (docs/reference/storage-api.md#upload).
 */
const credentials = z
  .object({
    AccessKeyId: z.string(),
    SecretAccessKey: z.string(),
    SessionToken: z.string(),
    Expiration: z.string(),
  })
  .openapi('FileCredentials', {
    example: {
      AccessKeyId: 'ASIAEXAMPLE',
      SecretAccessKey: 'secret of the session',
      SessionToken: 'token of the session',
      Expiration: '2026-07-16T11:20:30+0000',
    },
  })

/** A file (docs/reference/storage-api.md#file-resource). Place and credentials only with `federationToken=1`. */
export const fileBody = z
  .object({
    id: z.int(),
    created: wireDateText,
    isPublic: z.boolean(),
    isSliced: z.boolean(),
    isEncrypted: z.boolean(),
    name: z.string().openapi({ example: 'orders.csv' }),
    url: z.string(),
    provider: z.literal('aws'),
    fileType: z.enum(['csv', 'parquet']).nullable(),
    region: z.string().openapi({ example: 'us-east-1' }),
    sizeBytes: z.int(),
    tags: z.array(z.string()),
    maxAgeDays: z.int().nullable(),
    runId: z.string().nullable(),
    runIds: z.array(z.string()),
    creatorToken,
    s3Path: z.object({ bucket: z.string(), key: z.string() }).optional(),
    credentials: credentials.optional(),
  })
  .openapi('File')

/** A file to upload, with place and credentials. */
export const preparedFileBody = fileBody
  .extend({
    uploadParams: z.object({
      key: z.string(),
      bucket: z.string(),
      acl: z.string(),
      'x-amz-server-side-encryption': z.string().optional(),
      credentials: credentials.optional(),
      method: z.string().optional(),
      url: z.string().optional(),
    }),
  })
  .openapi('PreparedFile')

/** For the OpenAPI document: data in the request itself, which is streamed and not read by a schema. */
export const uploadForm = z.object({
  data: z.string().openapi({ format: 'binary' }),
  name: z.string().optional(),
})
