import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { UserError } from '../../lib/errors/errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { listedTableBody } from '../../lib/wire/table-body.ts'
import { text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { allTableMetadata } from '../metadata/metadata-resource.ts'
import { listedTables, tableIncludes } from '../tables/table-includes.ts'

export const routes = routesOf('search')

const LOADS_AT_ONCE = 16

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
        return listedTables(services, { bucket, tables: found, include, baseUrl })
      },
      { concurrency: LOADS_AT_ONCE },
    )
    return perBucket.flat()
  },
})
