import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'

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
