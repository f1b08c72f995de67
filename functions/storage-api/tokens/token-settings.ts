import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { type BucketPermission, bucketPermission } from '../../lib/storage/tokens/token-store.ts'
import { flag, integer, onlyFlag, text, textList } from '../http/fields.ts'
import type { Services } from '../services/services.ts'
import { isInAnyBranch } from './withdraw-permissions.ts'

const permissions = z
  .preprocess(
    given => (Array.isArray(given) && given.length === 0 ? {} : given),
    z.record(z.string(), z.unknown(), { error: 'This value should be an object of bucket ids.' }),
  )
  .meta({ type: 'object', example: { 'in.c-main': 'read', 'out.c-reports': 'write' } })

/** A hundred years: the year of a date stays four digits long. */
const LONGEST_SECONDS = 3_155_760_000

export const tokenFields = {
  description: text({ max: 1_000 }).optional(),
  bucketPermissions: permissions.optional(),
  componentAccess: textList({ max: 1_000 }).optional(),
  canManageBuckets: flag().optional(),
  canReadAllFileUploads: flag().optional(),
  canPurgeTrash: flag().optional(),
  canCreateJobs: onlyFlag(true, 'Every token may create jobs here.'),
  canManageProtectedDefaultBranch: onlyFlag(false, 'The default branch is not protected here.'),
  /** At least 1, which is checked below in the words that clients know. */
  expiresIn: integer({ min: -LONGEST_SECONDS, max: LONGEST_SECONDS }).optional(),
}

const fields = z.object(tokenFields)
type Fields = z.output<typeof fields>

/** Bounded because an item holds 400 KB. */
const MAX_PERMISSIONS = 1_000

/** Nobody grants `manage`: it comes with `canManageBuckets`, for all buckets. */
const granted = bucketPermission.exclude(['manage'])

/**
 * The settings of a token. Permissions on buckets say nothing of a token that manages all, and are ignored for it.
 *
 * Errors, both 400: `storage.tokens.invalidPermissions`, `storage.tokens.validation`.
 */
export const readTokenSettings = async (
  { bucketPermissions, expiresIn, canCreateJobs: _, canManageProtectedDefaultBranch: __, ...given }: Fields,
  services: Services,
) => {
  if (expiresIn !== undefined && expiresIn < 1)
    throw new UserError(
      'storage.tokens.validation',
      'Minimal expiration must be greater or equal to 1 second(s)',
    )
  const isRead = bucketPermissions && !given.canManageBuckets
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(isRead && { bucketPermissions: await readPermissions(bucketPermissions, services) }),
    ...(expiresIn !== undefined && {
      expires: new Date(services.now().getTime() + expiresIn * 1000).toISOString(),
    }),
  }
}

const readPermissions = async (given: Record<string, unknown>, services: Services) => {
  const entries = Object.entries(given)
  if (entries.length > MAX_PERMISSIONS) throw invalid(`more than ${MAX_PERMISSIONS} buckets`)
  const permitted: Record<string, BucketPermission> = {}
  for (const [id, permission] of entries) {
    const parsed = granted.safeParse(permission)
    if (!parsed.success) throw invalid(`the permission on "${id.slice(0, 200)}" is not read or write`)
    if (!(await isInAnyBranch(id, services))) throw invalid(`there is no bucket "${id.slice(0, 200)}"`)
    permitted[id] = parsed.data
  }
  return permitted
}

const invalid = (reason: string) =>
  new UserError('storage.tokens.invalidPermissions', `Invalid bucket permissions: ${reason}.`)
