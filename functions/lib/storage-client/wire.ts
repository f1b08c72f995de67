import * as z from 'zod/mini'
import { errorBody } from '../wire/error-body.ts'
import { type fileCredentials, preparedFileBody, readableFileBody, uploadParams } from '../wire/file-body.ts'
import { failureOfJob, jobBody } from '../wire/job-body.ts'
import { reads } from '../wire/reads.ts'

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
export const readableFileSchema = reads(readableFileBody, {
  ...file,
  s3Path: true,
  credentials: true,
  isEncrypted: false,
})

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
  reads(jobBody, { ...job, status: z.literal('processing'), progress: jobBody.shape.progress }),
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
export type Job = z.infer<typeof jobSchema>
