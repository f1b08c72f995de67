import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { configurationResource, configurationSummaryBody } from '../configurations/configuration-resource.ts'
import { commaList, flag, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { mayUseComponent } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { componentBody, componentResource } from './component.ts'

const parts = ['configuration', 'rows', 'state'] as const

const query = z.object({
  componentType: text().optional(),
  include: commaList()
    .refine(names => names.every(name => parts.some(part => part === name)), {
      error: `This value should be a list of ${parts.join(', ')}.`,
    })
    .default([]),
  isDeleted: flag().default(false),
})

const LISTS_AT_ONCE = 8

/** The components that have configurations, with them. */
export const listComponents = defineRoute({
  method: 'get',
  path: '/v2/storage/components',
  summary: 'List components with their configurations',
  tag: 'components',
  query,
  replies: { 200: 'The components that have configurations' },
  reply: z.array(componentBody.extend({ configurations: z.array(configurationSummaryBody) })),
  handle: async ({ query, caller, branchId, baseUrl }, { components, configurations }) => {
    const wanted = components
      .list()
      .filter(({ id, type }) => mayUseComponent(caller, id) && type === (query.componentType ?? type))
    const listed = await pMap(
      wanted,
      async component => {
        const all = await configurations.list(branchId, component.id)
        const shown = all.filter(({ current }) => current.content.isDeleted === query.isDeleted)
        return {
          ...componentResource(component, baseUrl),
          configurations: shown.map(configuration =>
            withParts(configurationResource(configuration), query.include),
          ),
        }
      },
      { concurrency: LISTS_AT_ONCE },
    )
    return ok(listed.filter(({ configurations }) => configurations.length > 0))
  },
})

const withParts = (
  { configuration, rows, rowsSortOrder, state, ...summary }: ReturnType<typeof configurationResource>,
  include: string[],
) => ({
  ...summary,
  ...(include.includes('configuration') && { configuration }),
  ...(include.includes('rows') && { rows, rowsSortOrder }),
  ...(include.includes('state') && { state }),
})
