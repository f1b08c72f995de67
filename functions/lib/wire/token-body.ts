import * as z from 'zod/mini'
import { described, wireDateText } from './fields.ts'
import { ownerBody } from './table-body.ts'

/** A token on the wire (docs/reference/storage-api.md#tokens-and-rights), without its value. */
export const tokenBody = z
  .object({
    id: z.string().register(described, { example: '4198234560512' }),
    created: wireDateText,
    refreshed: wireDateText,
    description: z.string(),
    uri: z.string(),
    isMasterToken: z.boolean(),
    canManageBuckets: z.boolean(),
    canManageTokens: z.boolean(),
    canReadAllFileUploads: z.boolean(),
    canPurgeTrash: z.boolean(),
    canManageProtectedDefaultBranch: z.boolean(),
    canCreateJobs: z.boolean(),
    expires: z.nullable(wireDateText),
    isExpired: z.boolean(),
    isDisabled: z.boolean(),
    dailyCapacity: z.int(),
    bucketPermissions: z
      .record(z.string(), z.enum(['read', 'write', 'manage']))
      .register(described, { example: { 'in.c-main': 'read' } }),
    componentAccess: z.optional(z.array(z.string())),
    creatorToken: z.optional(z.object({ id: z.int(), description: z.string() })),
    admin: z.optional(z.looseObject({ id: z.int(), name: z.string() })),
  })
  .register(described, { id: 'Token' })

export type TokenBody = z.infer<typeof tokenBody>

/** The only reply that shows the value. */
export const newTokenBody = z.extend(tokenBody, { token: z.string() }).register(described, { id: 'NewToken' })

/** A token with its project, as `verify` and the detail show it. */
export const tokenWithProjectBody = z.extend(tokenBody, {
  adminOwner: ownerBody,
  organization: z.object({ id: z.string() }),
  owner: z.looseObject({ id: z.int(), name: z.string() }),
})
