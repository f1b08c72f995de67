import { checkingBucket } from '../../lib/storage/buckets/bucket-key.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { telling } from '../http/record-event.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'

/** As many as fit one transaction with what else it holds. */
const GRANTS_AT_ONCE = 15

/**
 * Changes a token, in one transaction with that the buckets are there on which it gets rights: a bucket that comes later under the name of one
 * that is gone has none of them. What does not fit one transaction takes several, the last of which tells.
 */
export const grantInSteps = async (
  id: number,
  settings: Partial<TokenRecord>,
  request: Sender,
  services: Services,
  tells = true,
): Promise<TokenRecord | undefined> => {
  const { tokens, inBranch } = services
  const { buckets } = inBranch(defaultBranchId)
  const wanted = settings.bucketPermissions
  for (;;) {
    let left = 0
    const token = await tokens.update(
      id,
      current => {
        const fresh = Object.keys(wanted ?? {}).filter(
          bucketId => !Object.hasOwn(current.bucketPermissions, bucketId),
        )
        const later = new Set(fresh.slice(GRANTS_AT_ONCE))
        left = later.size
        const now = Object.entries(wanted ?? {}).filter(([bucketId]) => !later.has(bucketId))
        return { ...current, ...settings, ...(wanted && { bucketPermissions: Object.fromEntries(now) }) }
      },
      async (changed, before) => {
        const ids = Object.keys(changed.bucketPermissions)
        const fresh = ids.filter(bucketId => !Object.hasOwn(before.bucketPermissions, bucketId))
        const ofDefault = await Promise.all(
          fresh.map(async id => ((await buckets.get(id)) ? [checkingBucket(id, { id })] : [])),
        )
        return [
          ...ofDefault.flat(),
          ...(tells && left === 0 ? telling(request, services, tokenEvent('tokenUpdated', changed)) : []),
        ]
      },
    )
    if (!token || left === 0) return token
  }
}

/** The event of a change of a token: what it may do then, and never its value. */
export const tokenEvent = (
  name: Extract<AuditEventName, `token${string}`>,
  { id, description, ...token }: TokenRecord,
) =>
  auditEvent(name, {
    id: String(id),
    name: description,
    params: {
      description,
      canManageBuckets: token.canManageBuckets,
      canReadAllFileUploads: token.canReadAllFileUploads,
      canPurgeTrash: token.canPurgeTrash,
      bucketPermissions: token.bucketPermissions,
      componentAccess: token.componentAccess,
      expires: token.expires,
    },
  })
