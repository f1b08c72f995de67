import { projectName } from '../../lib/storage/project/project-name.ts'
import { isExpired } from '../../lib/storage/tokens/rights.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import type { Services } from '../services/services.ts'

/** `bucketIds`: all that exist, for a token that manages all of them. */
interface TokenFacts {
  baseUrl: string
  now: Date
  bucketIds: string[]
}

export const tokenFacts = async (
  baseUrl: string,
  { buckets, now }: Services,
  { canManageBuckets }: Pick<TokenRecord, 'canManageBuckets'>,
): Promise<TokenFacts> => {
  const listed = canManageBuckets ? await buckets.names() : []
  return { baseUrl, now: now(), bucketIds: listed.map(({ id }) => id) }
}

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

/** What clients ask for before they use it: values of tokens are shown once, everything is searched, tables have branches. */
export const features = ['hide-decrypted-token', 'global-search', 'storage-branches']

const SNAPSHOTS_LIMIT = 'storage.dataRetentionTimeInDays'
const RETENTION_DAYS = 7

/** A token with its project, as `verify` and the detail show it. */
export const tokenWithProject = async (
  token: TokenRecord | { masterId: string },
  baseUrl: string,
  services: Services,
) => {
  const { totals, project, projectId, region, backend } = services
  const created = await project.created()
  const { dataSizeBytes, rowsCount } = await totals.ofAll()
  const facts = await tokenFacts(baseUrl, services, 'masterId' in token ? { canManageBuckets: true } : token)
  return {
    ...('masterId' in token
      ? masterTokenResource(token.masterId, created, facts)
      : tokenResource(token, facts)),
    adminOwner: projectOwner,
    organization: { id: String(projectId) },
    owner: projectResource(projectId, {
      created: wireDate(created),
      region,
      backend,
      size: { dataSizeBytes, rowsCount },
    }),
  }
}

interface ProjectFacts {
  created: string
  region: string
  backend: string
  size: { dataSizeBytes: number; rowsCount: number }
}

const projectResource = (id: number, { created, region, backend, size }: ProjectFacts) => ({
  id,
  name: projectName(id),
  type: 'production',
  region,
  created,
  expires: null,
  features,
  ...size,
  hasMysql: false,
  hasSynapse: false,
  hasRedshift: false,
  hasSnowflake: backend === 'snowflake',
  hasExasol: false,
  hasTeradata: false,
  hasBigquery: backend === 'bigquery',
  defaultBackend: backend,
  hasTryModeOn: '0',
  limits: {
    [SNAPSHOTS_LIMIT]: { name: SNAPSHOTS_LIMIT, value: RETENTION_DAYS },
  },
  metrics: {},
  isDisabled: false,
  billedMonthlyPrice: null,
  dataRetentionTimeInDays: RETENTION_DAYS,
  assignedBackends: [backend],
  fileStorageProvider: 'aws',
})
