import type { BucketPermission, TokenRecord } from './token-store.ts'

/** What a token may do. */
export interface Rights {
  /** Manages every bucket and uses every component. */
  canManageBuckets: boolean
  /** Sees every file, not only its own. */
  canReadAllFileUploads: boolean
  canPurgeTrash: boolean
  bucketPermissions: Readonly<Record<string, BucketPermission>>
  /** Components whose configurations it may use, when it does not manage all. */
  componentAccess: readonly string[]
}

const ranks: Record<BucketPermission, number> = { read: 1, write: 2, manage: 3 }
/** Another service may know permissions that we do not: they count as none. */
const rank = (permission: BucketPermission | undefined): number => (permission && ranks[permission]) ?? 0

const permissionOn = (
  { bucketPermissions }: Pick<Rights, 'bucketPermissions'>,
  bucketId: string,
): BucketPermission | undefined =>
  Object.hasOwn(bucketPermissions, bucketId) ? bucketPermissions[bucketId] : undefined

/** Whether the right on a bucket is at least this one. */
export const mayUseBucket = (
  rights: Pick<Rights, 'canManageBuckets' | 'bucketPermissions'>,
  bucketId: string,
  needed: BucketPermission,
): boolean => rights.canManageBuckets || rank(permissionOn(rights, bucketId)) >= rank(needed)

/** Whether configurations of a component may be used. */
export const mayUseComponent = (
  { canManageBuckets, componentAccess }: Pick<Rights, 'canManageBuckets' | 'componentAccess'>,
  componentId: string,
): boolean => canManageBuckets || componentAccess.includes(componentId)

/** `in.c-main.orders` is in the bucket `in.c-main`. */
export const bucketOfTable = (tableId: string): string =>
  tableId.slice(0, Math.max(tableId.lastIndexOf('.'), 0))

export const allRights: Rights = {
  canManageBuckets: true,
  canReadAllFileUploads: true,
  canPurgeTrash: true,
  bucketPermissions: {},
  componentAccess: [],
}

/** Of a token that was deleted or has expired. */
export const noRights: Rights = {
  canManageBuckets: false,
  canReadAllFileUploads: false,
  canPurgeTrash: false,
  bucketPermissions: {},
  componentAccess: [],
}

/**
 * What all of them may do. What is stored by some and set off by others, and runs later, may do this and no more
 * (docs/decisions/0009-runs-have-their-authors-rights.md).
 */
export const leastRights = (all: readonly Rights[]): Rights => all.reduce(bothMay, allRights)

const bothMay = (one: Rights, other: Rights): Rights => {
  const files = {
    canReadAllFileUploads: one.canReadAllFileUploads && other.canReadAllFileUploads,
    canPurgeTrash: one.canPurgeTrash && other.canPurgeTrash,
  }
  if (one.canManageBuckets) return { ...other, ...files }
  if (other.canManageBuckets) return { ...one, ...files }
  const permissions = Object.entries(one.bucketPermissions).flatMap(([bucketId, granted]) => {
    const alsoGranted = permissionOn(other, bucketId)
    const least = rank(granted) < rank(alsoGranted) ? granted : alsoGranted
    return least === undefined ? [] : [[bucketId, least] as const]
  })
  return {
    ...files,
    canManageBuckets: false,
    bucketPermissions: Object.fromEntries(permissions),
    componentAccess: one.componentAccess.filter(component => other.componentAccess.includes(component)),
  }
}

/** Whether the first may do all that the second may. */
export const mayDoAsMuch = (one: Rights, other: Rights): boolean =>
  (one.canManageBuckets || !other.canManageBuckets) &&
  (one.canReadAllFileUploads || !other.canReadAllFileUploads) &&
  (one.canPurgeTrash || !other.canPurgeTrash) &&
  other.componentAccess.every(component => mayUseComponent(one, component)) &&
  Object.entries(other.bucketPermissions).every(([bucketId, permission]) =>
    mayUseBucket(one, bucketId, permission),
  )

export const isExpired = ({ expires }: Pick<TokenRecord, 'expires'>, now: Date): boolean =>
  expires !== null && expires <= now.toISOString()

/** What a stored token may do now: nothing once it was deleted or has expired. */
export const rightsOf = (token: TokenRecord | undefined, now: Date): Rights =>
  token === undefined || isExpired(token, now)
    ? noRights
    : { ...token, componentAccess: token.componentAccess ?? [] }
