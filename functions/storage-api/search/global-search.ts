import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'
import type { Caller } from '../http/authenticate.ts'
import { wireDateText } from '../http/body-fields.ts'
import { integer, text, textList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { mayUseBucket, mayUseComponent } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services.ts'

interface Found {
  id: string
  type: 'bucket' | 'table' | 'configuration'
  name: string
  componentId: string | null
  created: string
}

const LOADS_AT_ONCE = 8

/** Buckets, tables and configurations with the text in their id or name. */
export const globalSearch = defineRoute({
  method: 'get',
  path: '/v2/storage/global-search',
  summary: 'Search everything by name',
  tag: 'search',
  query: z.object({
    query: text({ min: 1, max: 500 }),
    types: textList({ max: 20 }).default([]),
    limit: integer({ min: 1, max: 1000 }).default(50),
    offset: integer().default(0),
  }),
  replies: { 200: 'What was found' },
  reply: z.object({
    all: z.int(),
    items: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        name: z.string(),
        componentId: z.string().nullable(),
        created: wireDateText,
        project: z.object({ id: z.int() }),
      }),
    ),
    byType: z.record(z.string(), z.int()),
  }),
  handle: async ({ query, caller, branchId }, services) => {
    const word = query.query.toLowerCase()
    const everything = [
      ...(await bucketsAndTables(caller, services)),
      ...(await allConfigurations(caller, branchId, services)),
    ]
    const found = everything.filter(
      ({ id, name, type }) =>
        (query.types.length === 0 || query.types.includes(type)) &&
        (id.toLowerCase().includes(word) || name.toLowerCase().includes(word)),
    )
    const byType = Object.groupBy(found, ({ type }) => type)
    return ok({
      all: found.length,
      items: found
        .slice(query.offset, query.offset + query.limit)
        .map(item => ({ ...item, project: { id: services.projectId } })),
      byType: Object.fromEntries(Object.entries(byType).map(([type, items]) => [type, items.length])),
    })
  },
})

const bucketsAndTables = async (caller: Caller, { buckets, tables }: Services): Promise<Found[]> => {
  const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
  const perBucket = await pMap(
    visible,
    async (bucket): Promise<Found[]> => [
      {
        id: bucket.id,
        type: 'bucket',
        name: bucket.displayName,
        componentId: null,
        created: wireDate(bucket.created),
      },
      ...(await tables.listInBucket(bucket.id)).map(table => ({
        id: tableIdOf(table),
        type: 'table' as const,
        name: table.displayName,
        componentId: null,
        created: wireDate(table.created),
      })),
    ],
    { concurrency: LOADS_AT_ONCE },
  )
  return perBucket.flat()
}

const allConfigurations = async (
  caller: Caller,
  branchId: number,
  { components, configurations }: Services,
): Promise<Found[]> => {
  const usable = components.list().filter(({ id }) => mayUseComponent(caller, id))
  const perComponent = await pMap(
    usable,
    async component =>
      (await configurations.list(branchId, component.id))
        .filter(({ current }) => !current.content.isDeleted)
        .map(configuration => ({
          id: configuration.id,
          type: 'configuration' as const,
          name: configuration.current.content.name,
          componentId: component.id,
          created: wireDate(configuration.created),
        })),
    { concurrency: LOADS_AT_ONCE },
  )
  return perComponent.flat()
}
