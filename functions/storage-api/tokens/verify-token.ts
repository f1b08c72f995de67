import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { wireDate } from '../../lib/storage/wire-date.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { masterTokenResource, tokenBody, tokenResource } from './token-resource.ts'

const LISTS_AT_ONCE = 16

/**
 * What the token of the request may do, and in which project (docs/reference/storage-api.md#tokens-and-rights). Does
 * not repeat the token.
 */
export const verifyToken = defineRoute({
  method: 'get',
  path: '/v2/storage/tokens/verify',
  summary: 'Verify the token of the request',
  tag: 'tokens',
  replies: { 200: 'The token and its project', 401: 'No token, or an invalid one' },
  reply: tokenBody.extend({
    organization: z.object({ id: z.string() }),
    owner: z.looseObject({ id: z.int(), name: z.string() }),
  }),
  handle: async ({ caller, baseUrl }, { buckets, tables, project, projectId, region, now }) => {
    const created = await project.created()
    const bucketIds = (await buckets.list()).map(bucket => bucket.id)
    const listed = await pMap(bucketIds, id => tables.listInBucket(id), { concurrency: LISTS_AT_ONCE })
    const facts = { baseUrl, now: now(), bucketIds }
    return ok({
      ...(caller.token
        ? tokenResource(caller.token, facts)
        : masterTokenResource(caller.tokenId, created, facts)),
      organization: { id: String(projectId) },
      owner: projectResource(projectId, {
        created: wireDate(created),
        region,
        snapshots: listed.flat().map(table => table.snapshot),
      }),
    })
  },
})

interface ProjectFacts {
  created: string
  region: string
  snapshots: { dataSizeBytes: number; rowsCount: number }[]
}

const projectResource = (id: number, { created, region, snapshots }: ProjectFacts) => ({
  id,
  name: `Project ${id}`,
  type: 'production',
  region,
  created,
  expires: null,
  features: [],
  dataSizeBytes: snapshots.reduce((sum, snapshot) => sum + snapshot.dataSizeBytes, 0),
  rowsCount: snapshots.reduce((sum, snapshot) => sum + snapshot.rowsCount, 0),
  hasMysql: false,
  hasSynapse: false,
  hasRedshift: false,
  hasSnowflake: false,
  hasExasol: false,
  hasTeradata: false,
  hasBigquery: false,
  defaultBackend: 'duckdb',
  hasTryModeOn: '0',
  limits: {},
  metrics: {},
  isDisabled: false,
  billedMonthlyPrice: null,
  dataRetentionTimeInDays: 7,
  assignedBackends: ['duckdb'],
  fileStorageProvider: 'aws',
  payAsYouGo: {},
})
