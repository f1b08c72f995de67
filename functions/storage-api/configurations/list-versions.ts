import { z } from '@hono/zod-openapi'
import { pMapIterable } from 'p-map'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { entryOf, type VersionEntry } from '../../lib/storage/configurations/configuration-history.ts'
import { listedVersionBody } from '../../lib/wire/configuration-body.ts'
import { integer } from '../http/fields.ts'
import { includeOf } from '../http/include.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services.ts'
import { versionEntryResource, versionResource } from './configuration-resource.ts'
import { findConfiguration } from './find-configuration.ts'

const LOADS_AT_ONCE = 8

/** Parts of a version that a list has only if they are asked for. */
const contents = ['configuration', 'rows', 'rowsSortOrder', 'isDisabled'] as const
/** Always there, or never: clients ask for the state, which belongs to no version. */
const others = [
  'name',
  'description',
  'version',
  'created',
  'creatorToken',
  'changeDescription',
  'isDeleted',
] as const

/** The versions, newest first (docs/reference/storage-api.md#versions). With `include`, parts of their content. */
export const listVersions = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/versions',
  summary: 'List the versions of a configuration',
  tag: 'configurations',
  query: z.object({
    include: includeOf([...contents, ...others, 'versionIdentifier', 'state']),
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
      return {
        ...versionEntryResource(entry),
        ...Object.fromEntries(asked.map(part => [part, content[part]])),
      }
    }
    const entries = limited(allEntries(configuration, services), { limit, offset })
    const loaded = pMapIterable(entries, withContent, { concurrency: LOADS_AT_ONCE })
    return ok(await page(loaded, { limit, offset: 0, show: version => version }))
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

async function* allEntries(
  { internalId, current }: Configuration,
  { configurations }: Services,
): AsyncGenerator<VersionEntry> {
  yield entryOf(current)
  for await (const entry of configurations.history.list(internalId)) {
    // A head is archived just before it is replaced, so it may be in both places.
    if (entry.version < current.version) yield entry
  }
}
