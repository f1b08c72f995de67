import * as z from 'zod/mini'
import { creatorToken, described, wireDateText } from './fields.ts'

/**
 * Temporary session credentials of one file's key, or of the prefix of a sliced one
 * (docs/reference/storage-api.md#upload).
 */
export const fileCredentials = z
  .object({
    AccessKeyId: z.string(),
    SecretAccessKey: z.string(),
    SessionToken: z.string(),
    Expiration: z.string(),
  })
  .register(described, {
    id: 'FileCredentials',
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
    name: z.string().register(described, { example: 'orders.csv' }),
    url: z.string(),
    provider: z.literal('aws'),
    fileType: z.nullable(z.enum(['csv', 'parquet'])),
    region: z.string().register(described, { example: 'us-east-1' }),
    sizeBytes: z.int(),
    tags: z.array(z.string()),
    maxAgeDays: z.nullable(z.int()),
    runId: z.nullable(z.string()),
    runIds: z.array(z.string()),
    creatorToken,
    s3Path: z.optional(z.object({ bucket: z.string(), key: z.string() })),
    credentials: z.optional(fileCredentials),
  })
  .register(described, { id: 'File' })

export type FileBody = z.infer<typeof fileBody>

export const uploadParams = z.object({
  key: z.string(),
  bucket: z.string(),
  acl: z.string(),
  'x-amz-server-side-encryption': z.optional(z.string()),
  credentials: z.optional(fileCredentials),
  method: z.optional(z.string()),
  url: z.optional(z.string()),
})

/** With place and credentials: the answer to `federationToken=1`. */
export const readableFileBody = z.extend(fileBody, {
  s3Path: z.object({ bucket: z.string(), key: z.string() }),
  credentials: fileCredentials,
})

/** A file to upload, with place and credentials. */
export const preparedFileBody = z
  .extend(fileBody, { uploadParams })
  .register(described, { id: 'PreparedFile' })
