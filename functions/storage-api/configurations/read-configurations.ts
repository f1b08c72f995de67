import { pMapIterable } from 'p-map'
import { z } from 'zod'
import type { Configuration, Version } from '../../lib/storage/configurations/configuration.ts'
import type { VersionEntry } from '../../lib/storage/configurations/configuration-documents.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { configurationBody, listedVersionBody, versionBody } from '../../lib/wire/configuration-body.ts'
import { findComponent, findConfiguration, notFound } from '../find/find-configuration.ts'
import { flag, includeOf, integer, text } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { routesOf } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import {
  configurationResource,
  versionEntryResource,
  versionResource,
  withVersionTag,
} from './configuration-resource.ts'

export const routes = routesOf('configurations')

/**
 * The configurations of a component, complete. With `isDeleted=1` those in the trash.
 *
 * All of them unless `limit` says how many, after `offset`; `sinceId` takes those that come after an id.
 */
routes.get('/v2/storage/components/{componentId}/configs', {
  summary: 'List the configurations of a component',
  query: z.object({
    isDeleted: flag().default(false),
    limit: integer({ min: 1 }).optional(),
    offset: integer().default(0),
    sinceId: text({ min: 1 }).optional(),
  }),
  replies: { 200: 'The configurations, in the order of their ids', 404: 'There is no such component' },
  reply: z.array(configurationBody),
  handle: async ({ params, query, branchId }, services) => {
    const { id } = findComponent(services, params.componentId)
    const { configurations } = services
    return page(configurations.scan(branchId, id, { after: query.sinceId }), {
      limit: query.limit ?? Number.POSITIVE_INFINITY,
      offset: query.offset,
      isListed: ({ current }) => current.content.isDeleted === query.isDeleted,
      show: configurationResource,
    })
  },
})

/** One current configuration, complete. Its `ETag` is the version. */
routes.get('/v2/storage/components/{componentId}/configs/{configId}', {
  summary: 'Configuration detail',
  replies: { 200: 'The configuration', 404: 'There is no such configuration' },
  reply: configurationBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    const { adoptedSecrets } = configuration
    const resource = {
      ...configurationResource(configuration),
      ...(adoptedSecrets.length > 0 && { adoptedSecrets }),
    }
    return withVersionTag(ok(resource), configuration)
  },
})

const LOADS_AT_ONCE = 8

/** Parts of a version that a list has only if they are asked for. */
const contents = ['configuration', 'rows', 'rowsSortOrder', 'isDisabled'] as const
/** Always there, or never: clients ask for the state, which belongs to no version. */
const others = ['name', 'version', 'created', 'creatorToken', 'changeDescription', 'isDeleted'] as const

/** The versions, newest first (docs/reference/storage-api.md#versions). With `include`, parts of their content. */
routes.get('/v2/storage/components/{componentId}/configs/{configId}/versions', {
  summary: 'List the versions of a configuration',
  query: z.object({
    include: includeOf([...contents, ...others, 'description', 'versionIdentifier', 'state']),
    limit: integer({ max: 1000 }).default(100),
    offset: integer().default(0),
  }),
  replies: { 200: 'The versions', 404: 'There is no such configuration' },
  reply: z.array(listedVersionBody),
  handle: async (request, services) => {
    const { include, limit, offset } = request.query
    const configuration = await findConfiguration(request, services)
    const asked = contents.filter(part => include.includes(part))
    const withContent = async (entry: VersionEntry) => {
      const version =
        asked.length > 0 && (await services.configurations.version(configuration, entry.version))
      const content: Record<string, unknown> = version ? versionResource(version) : {}
      const { description, ...shown } = versionEntryResource(entry)
      return {
        ...shown,
        // A list that asks for parts has the description only when it is one of them.
        ...((include.length === 0 || include.includes('description')) && { description }),
        ...Object.fromEntries(asked.map(part => [part, content[part]])),
      }
    }
    const entries = limited(services.configurations.history.list(configuration.internalId), { limit, offset })
    const loaded = pMapIterable(entries, withContent, { concurrency: LOADS_AT_ONCE })
    return page(loaded, { limit, offset: 0, show: version => version })
  },
})

/** Only these are loaded. */
async function* limited(
  entries: AsyncIterable<VersionEntry>,
  { limit, offset }: { limit: number; offset: number },
): AsyncGenerator<VersionEntry> {
  let seen = 0
  for await (const entry of entries) {
    if (seen >= offset + limit) return
    if (seen++ >= offset) yield entry
  }
}

/** One version with its content. States belong to no version. */
routes.get('/v2/storage/components/{componentId}/configs/{configId}/versions/{versionId}', {
  summary: 'Version detail',
  replies: { 200: 'The version', 404: 'There is no such configuration or version' },
  reply: versionBody,
  handle: async (request, services) => {
    const configuration = await findConfiguration(request, services)
    return versionResource(await findVersion(services, configuration, request.params.versionId))
  },
})

/** The version of a configuration that a path names, or 404 `notFound`. */
export const findVersion = async (
  { configurations }: Services,
  configuration: Configuration,
  versionId: string,
): Promise<Version> => {
  const number = parseId(versionId)
  const isThere = number !== undefined && number >= 1 && number <= configuration.current.version
  const version = isThere ? await configurations.version(configuration, number) : undefined
  if (!version) throw notFound(`Version ${versionId.slice(0, 20)} not found`)
  return version
}
