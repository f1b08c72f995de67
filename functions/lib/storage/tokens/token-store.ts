import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

export const bucketPermission = z.enum(['read', 'write', 'manage'])
export type BucketPermission = z.infer<typeof bucketPermission>

const tokenRecord = z.object({
  id: z.number(),
  description: z.string(),
  /** SHA-256 of the whole token. Tokens are random and long, so guessing needs no slow hash to prevent it. */
  digest: z.string(),
  created: z.string(),
  refreshed: z.string(),
  /** ISO 8601; `null`: never. */
  expires: z.string().nullable(),
  canManageBuckets: z.boolean(),
  canReadAllFileUploads: z.boolean(),
  canPurgeTrash: z.boolean(),
  bucketPermissions: z.record(z.string(), bucketPermission),
  /** Components whose configurations it may use. `null` when that was never set. */
  componentAccess: z.array(z.string()).nullable(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  revision: z.number(),
})

export type TokenRecord = z.infer<typeof tokenRecord>

/** All tokens but the master token, which is a secret of the stack. Only digests are stored, never values. */
export const createTokenStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'TOKENS',
    schema: tokenRecord,
    name: 'token',
    busyCode: 'storage.tokens.busy',
  })

export type TokenStore = ReturnType<typeof createTokenStore>
