import { z } from 'zod'
import { bytesInReply } from '../../lib/json/bytes-in-reply.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { type Component, componentBody, listedComponentBody } from '../../lib/wire/component-body.ts'
import { configurationResource } from '../configurations/configuration-resource.ts'
import { findComponent } from '../find/find-configuration.ts'
import { flag, includeOf, text } from '../http/fields.ts'
import { MAX_LIST_BYTES } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('components')

/** The component on the wire. */
export const componentResource = (component: Component, baseUrl: string) => ({
  ...component,
  uri: `${baseUrl}/v2/storage/components/${component.id}`,
})

const query = z.object({
  componentType: text().optional(),
  include: includeOf(['configuration', 'rows', 'state']),
  isDeleted: flag().default(false),
})

/** The components that have configurations, with them: as many as a reply may hold. `Link` names the lists where the others are. */
routes.get('/v2/storage/components', {
  summary: 'List components with their configurations',
  query,
  replies: {
    200: 'The components that have configurations',
    403: 'The token may use no component',
  },
  reply: z.array(listedComponentBody),
  handle: async ({ query, caller, branchId, baseUrl }, services) => {
    const { components, configurations } = services
    if (!caller.canManageBuckets && caller.componentAccess.length === 0) throw accessDenied()
    const used = await configurations.componentsIn(branchId)
    const wanted = components
      .list()
      .filter(
        ({ id, type }) =>
          used.has(id) && mayUseComponent(caller, id) && type === (query.componentType ?? type),
      )
    const isListed = ({ current }: Configuration) => current.content.isDeleted === query.isDeleted
    const listed: unknown[] = []
    const elsewhere: string[] = []
    let bytes = 0
    for (const component of wanted) {
      const resource = componentResource(component, baseUrl)
      const shown: unknown[] = []
      bytes += bytesInReply(resource)
      for await (const configuration of configurations.scan(branchId, component.id)) {
        if (!isListed(configuration)) continue
        const one = withParts(configurationResource(configuration), query.include)
        bytes += bytesInReply(one)
        if (bytes > MAX_LIST_BYTES) {
          const place = `components/${encodeURIComponent(component.id)}/configs?offset=${shown.length}`
          elsewhere.push(
            `<${baseUrl}/v2/storage/${place}${query.isDeleted ? '&isDeleted=1' : ''}>; rel="next"`,
          )
          break
        }
        shown.push(one)
      }
      if (shown.length > 0) listed.push({ ...resource, configurations: shown })
    }
    const reply = ok(listed)
    if (elsewhere.length > 0) reply.headers.set('link', elsewhere.join(', '))
    return reply
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

/** One component of the catalogue, for any caller. */
routes.get('/v2/storage/components/{componentId}', {
  summary: 'Component detail',
  isPublic: true,
  replies: { 200: 'The component', 404: 'There is no such component' },
  reply: componentBody,
  handle: async ({ params, baseUrl }, services) =>
    componentResource(findComponent(services, params.componentId), baseUrl),
})
