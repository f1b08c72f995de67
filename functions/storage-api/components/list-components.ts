import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { listedComponentBody } from '../../lib/wire/component-body.ts'
import { configurationResource } from '../configurations/configuration-resource.ts'
import { flag, text } from '../http/fields.ts'
import { includeOf } from '../http/include.ts'
import { ok } from '../http/reply.ts'
import { accessDenied } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { componentResource } from './component.ts'

const query = z.object({
  componentType: text().optional(),
  include: includeOf(['configuration', 'rows', 'state']),
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
  replies: {
    200: 'The components that have configurations',
    403: 'The token may use no component',
  },
  reply: z.array(listedComponentBody),
  handle: async ({ query, caller, branchId, baseUrl }, services) => {
    const { components, configurations, usedComponents } = services
    if (!caller.canManageBuckets && caller.componentAccess.length === 0) throw accessDenied()
    const used = await usedComponents.of(components.list())
    const wanted = used.filter(
      ({ id, type }) => mayUseComponent(caller, id) && type === (query.componentType ?? type),
    )
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
) => {
  const ofBoth = <Of extends { configuration: unknown; state: unknown }>(given: Of) => ({
    ...(include.includes('configuration') && { configuration: given.configuration }),
    ...(include.includes('state') && { state: given.state }),
  })
  const withoutBoth = ({ configuration: _configuration, state: _state, ...row }: (typeof rows)[number]) => row
  return {
    ...summary,
    ...ofBoth({ configuration, state }),
    ...(include.includes('rows') && {
      rows: rows.map(row => ({ ...withoutBoth(row), ...ofBoth(row) })),
      rowsSortOrder,
    }),
  }
}
