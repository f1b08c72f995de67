import type * as z from 'zod/mini'
import { reads } from '../wire/reads.ts'
import { newTokenBody, tokenBody } from '../wire/token-body.ts'

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

export type Token = z.infer<typeof tokenSchema>
