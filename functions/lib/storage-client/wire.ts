import * as z from 'zod/mini'
import { componentBody } from '../wire/component-body.ts'
import { changeBody, configurationBody, rowBody } from '../wire/configuration-body.ts'
import { errorBody } from '../wire/error-body.ts'
import { creatorToken } from '../wire/fields.ts'
import { type fileCredentials, preparedFileBody, readableFileBody, uploadParams } from '../wire/file-body.ts'
import { failureOfJob, jobBody } from '../wire/job-body.ts'
import { reads } from '../wire/reads.ts'
import { tableBody } from '../wire/table-body.ts'
import { newTokenBody, tokenBody } from '../wire/token-body.ts'

/** What of the service's replies we read, of other servers of the API too. */

const file = { id: true, name: true, region: true, isSliced: true, url: z.optional(z.string()) } as const

export const preparedFileSchema = reads(preparedFileBody, {
  ...file,
  uploadParams: reads(uploadParams, {
    bucket: true,
    key: true,
    'x-amz-server-side-encryption': z.optional(z.string()),
    credentials: true,
  }),
})

/** File detail with `federationToken=1`. */
export const readableFileSchema = reads(readableFileBody, { ...file, s3Path: true, credentials: true })

const row = reads(rowBody, { id: true, name: false, isDisabled: true, configuration: true, state: true })

/** Configuration with its rows in running order. */
export const configurationSchema = reads(configurationBody, {
  id: true,
  name: true,
  version: true,
  isDisabled: true,
  configuration: true,
  state: true,
  rows: z._default(z.array(row), []),
  currentVersion: z.optional(
    reads(changeBody, {
      created: true,
      creatorToken: z.optional(reads(creatorToken, { id: z.coerce.string() })),
    }),
  ),
  adoptedSecrets: true,
  scheduleDisarmed: z.optional(z.object({ by: reads(creatorToken, { description: true }) })),
})

/** The fields that decide a run's rights. */
export const tokenSchema = reads(tokenBody, {
  id: true,
  description: true,
  isDisabled: true,
  isExpired: true,
  expires: false,
  canManageBuckets: true,
  canReadAllFileUploads: true,
  bucketPermissions: true,
  componentAccess: false,
})

export const newTokenSchema = reads(newTokenBody, { id: true, token: true })

export const tableSchema = reads(tableBody, { columns: true, primaryKey: true })

export const componentSchema = reads(componentBody, { data: true })

const job = {
  id: true,
  url: true,
  createdTime: false,
  tableId: false,
  operationName: false,
  operationParams: z.unknown(),
} as const

const jobError = z.union([
  reads(failureOfJob, { code: false, message: true, exceptionId: false }),
  // Some services send a plain string as the created job's error.
  z.pipe(
    z.string(),
    z.transform(message => ({ code: null, message, exceptionId: null })),
  ),
])

/** Only a successful job has `results`, only a failed one `error`. */
export const jobSchema = z.union([
  reads(jobBody, { ...job, status: z.literal('waiting') }),
  reads(jobBody, { ...job, status: z.literal('processing') }),
  reads(jobBody, { ...job, status: z.literal('success'), results: z.unknown() }),
  reads(jobBody, { ...job, status: z.literal('error'), error: jobError }),
])

export const errorBodySchema = reads(errorBody, {
  error: z.optional(z.string().check(z.minLength(1))),
  code: z.optional(z.string()),
  exceptionId: z.optional(z.string()),
})

export type FileCredentials = z.infer<typeof fileCredentials>
export type PreparedFile = z.infer<typeof preparedFileSchema>
export type ReadableFile = z.infer<typeof readableFileSchema>
export type Configuration = z.infer<typeof configurationSchema>
export type Component = z.infer<typeof componentSchema>
export type Job = z.infer<typeof jobSchema>
export type Token = z.infer<typeof tokenSchema>
export type NewToken = z.infer<typeof newTokenSchema>
