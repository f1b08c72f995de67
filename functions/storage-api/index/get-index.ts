import { z } from 'zod'
import { IF_EXISTS_FEATURE } from '../../lib/storage-client/load-into-table.ts'
import type { Component } from '../../lib/wire/component-body.ts'
import { indexBody } from '../../lib/wire/index-body.ts'
import { componentResource } from '../components/components.ts'
import { commaList, includeOf } from '../http/fields.ts'
import { faces } from '../http/request-path.ts'
import { routesOf } from '../http/route.ts'
import { features } from '../tokens/token-resource.ts'

export const routes = routesOf('index')

/**
 * What the service is and where its parts are (docs/reference/storage-api.md#index). Needs no token.
 */
routes.get('/v2/storage', {
  summary: 'API index',
  isPublic: true,
  query: z.object({
    /** `components`: without them. `componentDetails`: each with only what a list needs. */
    exclude: includeOf(['components', 'componentDetails']),
    /** Only these components, with only what a list needs. */
    componentDetails: commaList().default([]),
  }),
  replies: { 200: 'The index' },
  reply: indexBody,
  handle: async ({ query, baseUrl }, { region, revision, components }) => ({
    host: new URL(baseUrl).host,
    api: 'storage',
    version: 'v2',
    revision: await revision(),
    stack: region,
    documentation: `${baseUrl}/v2/storage/openapi.json`,
    ...(!query.exclude.includes('components') && {
      components: listed(components.list(), query.componentDetails).map(component =>
        query.componentDetails.length === 0 && !query.exclude.includes('componentDetails')
          ? componentResource(component, baseUrl)
          : componentDetails(component, baseUrl),
      ),
    }),
    services: [{ id: 'import', url: baseUrl }, ...faces.map(id => ({ id, url: `${baseUrl}/${id}` }))],
    features: [...features, IF_EXISTS_FEATURE],
    // In the notation of the hosted service.
    urlTemplates: { orchestrationJob: `${baseUrl}/v2/storage/jobs/<%= jobId %>` },
  }),
})

const listed = (components: readonly Component[], ids: string[]): readonly Component[] =>
  ids.length === 0 ? components : components.filter(({ id }) => ids.includes(id))

/** The short form for `componentDetails` (docs/reference/storage-api.md#index). */
const componentDetails = (component: Component, baseUrl: string) => {
  const { id, name, type, ico64, ico128, features, flags, description, categories, uri } = componentResource(
    component,
    baseUrl,
  )
  return { id, name, type, ico64, ico128, features, flags, description, categories, uri }
}
