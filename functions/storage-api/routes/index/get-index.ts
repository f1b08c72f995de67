import { z } from '@hono/zod-openapi'
import { commaList } from '../../wire/fields.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

/** What the service is and where its parts are (specification 2.4). Answers whoever asks, whatever token they send. */
export const getIndex = defineRoute({
  method: 'get',
  path: '/v2/storage',
  summary: 'API index',
  tag: 'index',
  isPublic: true,
  query: z.object({ exclude: commaList().default([]) }),
  replies: { 200: 'The index' },
  handle: async ({ query, baseUrl }, { region, revision }) =>
    ok({
      host: new URL(baseUrl).host,
      api: 'storage',
      version: 'v2',
      revision,
      stack: region,
      documentation: `${baseUrl}/v2/storage/openapi.json`,
      ...(!query.exclude.includes('components') && { components: [] }),
      services: [{ id: 'import', url: baseUrl }],
      features: [],
      urlTemplates: {},
    }),
})
