import * as z from 'zod/mini'

/** The parts of the service's replies that we read. Unknown fields are allowed: a newer service may send more. */

const credentials = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  SessionToken: z.string(),
  Expiration: z.string(),
})

/** File (docs/reference/storage-api.md#file-resource). */
const fileSchema = z.object({
  id: z.int(),
  name: z.string(),
  region: z.string(),
  isSliced: z.boolean(),
  /** Signed address of the object, or of the manifest of a sliced file. */
  url: z.optional(z.string()),
})

/** Reply of files/prepare (docs/reference/storage-api.md#upload). */
export const preparedFileSchema = z.extend(fileSchema, {
  uploadParams: z.object({
    bucket: z.string(),
    key: z.string(),
    'x-amz-server-side-encryption': z.optional(z.string()),
    credentials,
  }),
})

/** File detail with `federationToken=1` (docs/reference/storage-api.md#download). */
export const readableFileSchema = z.extend(fileSchema, {
  s3Path: z.object({ bucket: z.string(), key: z.string() }),
  credentials,
})

/** A JSON object; services written in PHP answer `[]` for an empty one. */
const jsonObject = z.pipe(
  z.transform(value => (value === null || (Array.isArray(value) && value.length === 0) ? {} : value)),
  z.record(z.string(), z.unknown()),
)

const rowSchema = z.object({
  id: z.coerce.string(),
  name: z.nullish(z.string()),
  isDisabled: z._default(z.boolean(), false),
  configuration: z._default(jsonObject, {}),
  state: z._default(jsonObject, {}),
})

/**
 * Configuration with its rows in running order (docs/reference/storage-api.md#configuration-resource).
 */
export const configurationSchema = z.object({
  id: z.coerce.string(),
  name: z.string(),
  version: z.int(),
  isDisabled: z._default(z.boolean(), false),
  configuration: z._default(jsonObject, {}),
  state: z._default(jsonObject, {}),
  rows: z._default(z.array(rowSchema), []),
  currentVersion: z.optional(
    z.object({ created: z.string(), creatorToken: z.optional(z.object({ id: z.coerce.string() })) }),
  ),
  /** Our additions to the API. Digests of sealed values from elsewhere that may be opened here. */
  adoptedSecrets: z._default(z.array(z.string()), []),
  /** Its schedule is off until a token with enough rights stores the configuration. */
  scheduleDisarmed: z.optional(z.object({ by: z.object({ description: z.string() }) })),
})

/** Token detail (`docs/reference/storage-api.md#tokens-and-rights`): the fields that decide a run's rights. */
export const tokenSchema = z.object({
  id: z.coerce.string(),
  description: z.string(),
  isDisabled: z._default(z.boolean(), false),
  isExpired: z._default(z.boolean(), false),
  expires: z.nullish(z.string()),
  canManageBuckets: z._default(z.boolean(), false),
  canReadAllFileUploads: z._default(z.boolean(), false),
  bucketPermissions: z._default(z.pipe(jsonObject, z.record(z.string(), z.string())), {}),
  componentAccess: z.nullish(z.array(z.string())),
})

export const newTokenSchema = z.object({ id: z.coerce.string(), token: z.string().check(z.minLength(1)) })

/** Table detail (`docs/reference/storage-api.md#tables`): the fields that exports and loads need. */
export const tableSchema = z.object({
  columns: z.array(z.string()),
  primaryKey: z._default(z.array(z.string()), []),
})

/** Component (docs/reference/storage-api.md#components): the fields that a run needs. */
export const componentSchema = z.object({ data: z._default(jsonObject, {}) })

const jobBase = z.object({
  id: z.int(),
  url: z.string(),
  createdTime: z.nullish(z.string()),
  tableId: z.nullish(z.string()),
  operationName: z.nullish(z.string()),
  operationParams: z.unknown(),
})

/** Job (docs/reference/storage-api.md#jobs). Only a successful one has `results`, only a failed one `error`. */
export const jobSchema = z.discriminatedUnion('status', [
  z.extend(jobBase, { status: z.literal('waiting') }),
  z.extend(jobBase, { status: z.literal('processing') }),
  z.extend(jobBase, { status: z.literal('success'), results: z.unknown() }),
  z.extend(jobBase, {
    status: z.literal('error'),
    error: z.union([
      z.object({ code: z.nullish(z.string()), message: z.string(), exceptionId: z.nullish(z.string()) }),
      // Some services send a plain string as the created job's error.
      z.pipe(
        z.string(),
        z.transform(message => ({ code: null, message, exceptionId: null })),
      ),
    ]),
  }),
])

export const errorBodySchema = z.object({
  error: z.optional(z.string().check(z.minLength(1))),
  code: z.optional(z.string()),
  exceptionId: z.optional(z.string()),
})

export type FileCredentials = z.infer<typeof credentials>
export type PreparedFile = z.infer<typeof preparedFileSchema>
export type ReadableFile = z.infer<typeof readableFileSchema>
export type Configuration = z.infer<typeof configurationSchema>
export type Component = z.infer<typeof componentSchema>
export type Job = z.infer<typeof jobSchema>
export type Token = z.infer<typeof tokenSchema>
export type NewToken = z.infer<typeof newTokenSchema>
