import { z } from 'zod'

/** The parts of the service's replies that we read. Unknown fields are allowed: a newer service may send more. */

const credentials = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  SessionToken: z.string(),
  Expiration: z.string(),
})

/** File (docs/reference/storage-api.md#file-resource). */
const fileSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  region: z.string(),
  isSliced: z.boolean(),
  /** Signed address of the object, or of the manifest of a sliced file. */
  url: z.string().optional(),
})

/** Reply of files/prepare (docs/reference/storage-api.md#upload). */
export const preparedFileSchema = fileSchema.extend({
  uploadParams: z.object({
    bucket: z.string(),
    key: z.string(),
    'x-amz-server-side-encryption': z.string().optional(),
    credentials,
  }),
})

/** File detail with `federationToken=1` (docs/reference/storage-api.md#download). */
export const readableFileSchema = fileSchema.extend({
  s3Path: z.object({ bucket: z.string(), key: z.string() }),
  credentials,
})

/** A JSON object; services written in PHP answer `[]` for an empty one. */
const jsonObject = z.preprocess(
  value => (value === null || (Array.isArray(value) && value.length === 0) ? {} : value),
  z.record(z.string(), z.unknown()),
)

const rowSchema = z.object({
  id: z.coerce.string(),
  name: z.string().nullish(),
  isDisabled: z.boolean().default(false),
  configuration: jsonObject.default({}),
  state: jsonObject.default({}),
})

/**
 * Configuration with its rows in running order (docs/reference/storage-api.md#configuration-resource).
 */
export const configurationSchema = z.object({
  id: z.coerce.string(),
  name: z.string(),
  version: z.number().int(),
  isDisabled: z.boolean().default(false),
  configuration: jsonObject.default({}),
  state: jsonObject.default({}),
  rows: z.array(rowSchema).default([]),
  currentVersion: z
    .object({ created: z.string(), creatorToken: z.object({ id: z.coerce.string() }).optional() })
    .optional(),
  /** Our additions to the API. Digests of sealed values from elsewhere that may be opened here. */
  adoptedSecrets: z.array(z.string()).default([]),
  /** Its schedule is off until a token with enough rights stores the configuration. */
  scheduleDisarmed: z.object({ by: z.object({ description: z.string() }) }).optional(),
})

/** Token detail (`docs/reference/storage-api.md#tokens-and-rights`): the fields that decide a run's rights. */
export const tokenSchema = z.object({
  id: z.coerce.string(),
  description: z.string(),
  isDisabled: z.boolean().default(false),
  isExpired: z.boolean().default(false),
  expires: z.string().nullish(),
  canManageBuckets: z.boolean().default(false),
  canReadAllFileUploads: z.boolean().default(false),
  bucketPermissions: jsonObject.pipe(z.record(z.string(), z.string())).default({}),
  componentAccess: z.array(z.string()).nullish(),
})

export const newTokenSchema = z.object({ id: z.coerce.string(), token: z.string().min(1) })

/** Table detail (`docs/reference/storage-api.md#tables`): the fields that exports and loads need. */
export const tableSchema = z.object({
  columns: z.array(z.string()),
  primaryKey: z.array(z.string()).default([]),
})

/** Component (docs/reference/storage-api.md#components): the fields that a run needs. */
export const componentSchema = z.object({ data: jsonObject.default({}) })

const jobBase = z.object({
  id: z.number().int(),
  url: z.string(),
  createdTime: z.string().nullish(),
  tableId: z.string().nullish(),
  operationName: z.string().nullish(),
  operationParams: z.unknown(),
})

/** Job (docs/reference/storage-api.md#jobs). Only a successful one has `results`, only a failed one `error`. */
export const jobSchema = z.discriminatedUnion('status', [
  jobBase.extend({ status: z.literal('waiting') }),
  jobBase.extend({ status: z.literal('processing') }),
  jobBase.extend({ status: z.literal('success'), results: z.unknown() }),
  jobBase.extend({
    status: z.literal('error'),
    error: z.union([
      z.object({ code: z.string().nullish(), message: z.string(), exceptionId: z.string().nullish() }),
      // Some services send a plain string as the created job's error.
      z.string().transform(message => ({ code: null, message, exceptionId: null })),
    ]),
  }),
])

export const errorBodySchema = z.object({
  error: z.string().min(1).optional(),
  code: z.string().optional(),
  exceptionId: z.string().optional(),
})

export type FileCredentials = z.infer<typeof credentials>
export type PreparedFile = z.infer<typeof preparedFileSchema>
export type ReadableFile = z.infer<typeof readableFileSchema>
export type Configuration = z.infer<typeof configurationSchema>
export type Component = z.infer<typeof componentSchema>
export type Job = z.infer<typeof jobSchema>
export type Token = z.infer<typeof tokenSchema>
export type NewToken = z.infer<typeof newTokenSchema>
