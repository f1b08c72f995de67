import pMap from 'p-map'
import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { listedTableBody } from '../../lib/wire/table-body.ts'
import { commaList, text, textList } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { allTableMetadata, metadatumResource } from '../metadata/metadata-resource.ts'
import { listedTables, tableIncludes } from '../tables/read-tables.ts'

export const routes = routesOf('search')

const LOADS_AT_ONCE = 8

/** Configurations by component, id and metadata keys. With `include=filteredMetadata`, with those metadata. */
routes.get('/v2/storage/search/component-configurations', {
  summary: 'Search configurations by their metadata',
  query: z.object({
    idComponent: text({ max: 100 }).optional(),
    /** As the documentation calls it. */
    componentId: text({ max: 100 }).optional(),
    configurationId: text({ max: 200 }).optional(),
    metadataKeys: textList({ max: 100, itemMax: 255 }).optional(),
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
  handle: async (request, services) => {
    const { query, caller, branchId } = request
    const { components, configurations, metadata } = services
    const componentId = query.idComponent ?? query.componentId
    const keys = query.metadataKeys ?? []
    const withMetadata = query.include.includes('filteredMetadata')
    const used = await configurations.componentsIn(branchId)
    const wanted = components
      .list()
      .filter(({ id }) => used.has(id) && mayUseComponent(caller, id) && id === (componentId ?? id))
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
            const own = (await metadata.list(metadataSubject.configuration(configuration))).filter(
              ({ key }) => keys.length === 0 || keys.includes(key),
            )
            return { configuration, own }
          },
          { concurrency: LOADS_AT_ONCE },
        )
        return found
          .filter(({ own }) => (keys.length === 0 && !withMetadata) || own.length > 0)
          .map(({ configuration, own }) => ({
            idComponent: component.id,
            configurationId: configuration.id,
            ...(withMetadata && { metadata: own.map(metadatumResource) }),
          }))
      },
      { concurrency: LOADS_AT_ONCE },
    )
    await recordAudit(request, services, 'componentsSearched', {
      params: {
        idComponent: componentId ?? null,
        configurationId: query.configurationId ?? null,
        metadataKeys: query.metadataKeys ?? null,
        include: query.include,
      },
    })
    return perComponent.flat()
  },
})

const TABLES_AT_ONCE = 16

const nothingGiven =
  'At least on of search parameters metadataKey|metadataValue|metadataProvider must be provided.'

/** Tables by their metadata. Slow: it reads the metadata of every table that the token may read. */
routes.get('/v2/storage/search/tables', {
  summary: 'Search tables by their metadata',
  query: z.object({
    metadataKey: text({ max: 255 }).optional(),
    metadataValue: text({ max: 10_000 }).optional(),
    metadataProvider: text({ max: 255 }).optional(),
    include: tableIncludes(),
  }),
  replies: { 200: 'The tables with such metadata', 400: 'None of the three was given' },
  reply: z.array(listedTableBody),
  handle: async ({ query, caller, baseUrl }, services) => {
    const { buckets, tables } = services
    const { metadataKey, metadataValue, metadataProvider, include } = query
    if (metadataKey === undefined && metadataValue === undefined && metadataProvider === undefined)
      throw new UserError('validationError', `Invalid request:\n - metadataKey: "${nothingGiven}"`, {
        params: { errors: [{ key: 'metadataKey', message: nothingGiven }] },
      })
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const perBucket = await pMap(
      visible,
      async bucket => {
        const found: TableHead[] = []
        for (const table of await tables.listInBucket(bucket.id)) {
          const isFound = (await allTableMetadata(services, table)).some(
            each =>
              each.column === '' &&
              each.key === (metadataKey ?? each.key) &&
              each.value === (metadataValue ?? each.value) &&
              each.provider === (metadataProvider ?? each.provider),
          )
          if (isFound) found.push(table)
        }
        return listedTables(services, { bucket, tables: found, include, baseUrl, caller })
      },
      { concurrency: TABLES_AT_ONCE },
    )
    return perBucket.flat()
  },
})
