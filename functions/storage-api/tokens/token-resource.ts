import { isExpired } from '../../lib/storage/tokens/stored-rights.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import type { Services } from '../services/services.ts'

/** All existing buckets, for a token that manages all of them. */
interface TokenFacts {
  baseUrl: string
  now: Date
  bucketIds: string[]
}

export const tokenFacts = async (baseUrl: string, { totals, now }: Services): Promise<TokenFacts> => ({
  baseUrl,
  now: now(),
  bucketIds: (await totals.bucketNames()).map(({ id }) => id),
})

/** A token on the wire (docs/reference/storage-api.md#tokens-and-rights), without its value. */
export const tokenResource = (token: TokenRecord, { baseUrl, now, bucketIds }: TokenFacts) => ({
  id: String(token.id),
  created: wireDate(token.created),
  refreshed: wireDate(token.refreshed),
  description: token.description,
  uri: `${baseUrl}/v2/storage/tokens/${token.id}`,
  isMasterToken: false,
  canManageBuckets: token.canManageBuckets,
  canManageTokens: false,
  canReadAllFileUploads: token.canReadAllFileUploads,
  canPurgeTrash: token.canPurgeTrash,
  canManageProtectedDefaultBranch: token.canManageBuckets,
  canCreateJobs: true,
  expires: wireDateOrNull(token.expires),
  isExpired: isExpired(token, now),
  isDisabled: false,
  dailyCapacity: 0,
  bucketPermissions: token.canManageBuckets ? allManaged(bucketIds) : token.bucketPermissions,
  ...(token.componentAccess && { componentAccess: token.componentAccess }),
  creatorToken: { id: Number(token.creatorToken.id), description: token.creatorToken.description },
})

const masterDescription = 'Master token'

/** Whoever deployed the stack. All tokens are made with theirs. */
const projectAdmin = {
  id: 1,
  name: 'Owner',
  features: [],
  isOrganizationMember: true,
  role: 'admin',
  isActivated: false,
}

/**
 * The same, as the owner of tokens and buckets. An admin has no address here: clients read the description of the master
 * token in its place.
 */
export const projectOwner = {
  id: projectAdmin.id,
  name: projectAdmin.name,
  email: masterDescription,
}

/** The master token: its value is the stack's secret. */
export const masterTokenResource = (id: string, created: string, { baseUrl, bucketIds }: TokenFacts) => ({
  id,
  created: wireDate(created),
  refreshed: wireDate(created),
  description: masterDescription,
  uri: `${baseUrl}/v2/storage/tokens/${id}`,
  isMasterToken: true,
  canManageBuckets: true,
  canManageTokens: true,
  canReadAllFileUploads: true,
  canPurgeTrash: true,
  canManageProtectedDefaultBranch: true,
  canCreateJobs: true,
  expires: null,
  isExpired: false,
  isDisabled: false,
  dailyCapacity: 0,
  bucketPermissions: allManaged(bucketIds),
  admin: projectAdmin,
})

const allManaged = (bucketIds: string[]) => Object.fromEntries(bucketIds.map(id => [id, 'manage'] as const))
