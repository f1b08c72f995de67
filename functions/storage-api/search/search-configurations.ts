import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { commaList, text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { mayUseComponent } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { metadatumBody, metadatumResource } from '../metadata/metadata-resource.ts'

const LOADS_AT_ONCE = 8

/** Configurations by component, id and metadata keys. With `include=filteredMetadata`, with those metadata. */
export const searchConfigurations = defineRoute({
  method: 'get',
  path: '/v2/storage/search/component-configurations',
  summary: 'Search configurations by their metadata',
  tag: 'search',
  query: z.object({
    componentId: text({ max: 100 }).optional(),
    configurationId: text({ max: 200 }).optional(),
    metadataKeys: textList({ max: 100, itemMax: 255 }).default([]),
    include: commaList().default([]),
  }),
  replies: { 200: 'The configurations' },
  reply: z.array(
    z.object({
      idComponent: z.string(),
      configurationId: z.string(),
      metadata: z.array(metadatumBody).optional(),
    }),
  ),
  handle: async ({ query, caller, branchId }, { components, configurations, metadata }) => {
    const wanted = components
      .list()
      .filter(({ id }) => mayUseComponent(caller, id) && id === (query.componentId ?? id))
    const perComponent = await pMap(
      wanted,
      async component => {
        const all = await configurations.list(branchId, component.id)
        const live = all.filter(
          ({ id, current }) => !current.content.isDeleted && id === (query.configurationId ?? id),
        )
        const found = await pMap(
          live,
          async configuration => {
            const keys = query.metadataKeys
            const own = (await metadata.list(metadataSubject.configuration(configuration))).filter(
              ({ key }) => keys.length === 0 || keys.includes(key),
            )
            return { configuration, own }
          },
          { concurrency: LOADS_AT_ONCE },
        )
        return found
          .filter(({ own }) => query.metadataKeys.length === 0 || own.length > 0)
          .map(({ configuration, own }) => ({
            idComponent: component.id,
            configurationId: configuration.id,
            ...(query.include.includes('filteredMetadata') && { metadata: own.map(metadatumResource) }),
          }))
      },
      { concurrency: LOADS_AT_ONCE },
    )
    return ok(perComponent.flat())
  },
})
