import { backendName } from '../../lib/storage/project/backend-name.ts'
import { projectName } from '../../lib/storage/project/project-name.ts'
import type { TokenRecord } from '../../lib/storage/tokens/token-store.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import type { Services } from '../services/services.ts'
import { masterTokenResource, projectOwner, tokenFacts, tokenResource } from './token-resource.ts'

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
  const { totals, project, projectId, region } = services
  const created = await project.created()
  const { dataSizeBytes, rowsCount } = await totals.ofAll()
  const facts = await tokenFacts(baseUrl, services)
  return {
    ...('masterId' in token
      ? masterTokenResource(token.masterId, created, facts)
      : tokenResource(token, facts)),
    adminOwner: projectOwner,
    organization: { id: String(projectId) },
    owner: projectResource(projectId, {
      created: wireDate(created),
      region,
      size: { dataSizeBytes, rowsCount },
    }),
  }
}

interface ProjectFacts {
  created: string
  region: string
  size: { dataSizeBytes: number; rowsCount: number }
}

const projectResource = (id: number, { created, region, size }: ProjectFacts) => ({
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
  hasSnowflake: backendName === 'snowflake',
  hasExasol: false,
  hasTeradata: false,
  hasBigquery: backendName === 'bigquery',
  defaultBackend: backendName,
  hasTryModeOn: '0',
  limits: {
    [SNAPSHOTS_LIMIT]: { name: SNAPSHOTS_LIMIT, value: RETENTION_DAYS },
  },
  metrics: {},
  isDisabled: false,
  billedMonthlyPrice: null,
  dataRetentionTimeInDays: RETENTION_DAYS,
  assignedBackends: [backendName],
  fileStorageProvider: 'aws',
})
