import { z } from '@hono/zod-openapi'
import { componentBody } from '../components/component.ts'
import { anyObject } from '../http/body-fields.ts'

/** What the service is and where its parts are (docs/reference/storage-api.md#index). */
export const indexBody = z
  .object({
    host: z.string(),
    api: z.literal('storage'),
    version: z.string().openapi({ example: 'v2' }),
    revision: z.string(),
    stack: z.string(),
    documentation: z.string(),
    components: z.array(componentBody.partial()).optional(),
    services: z
      .array(z.object({ id: z.string(), url: z.string() }))
      .openapi({ example: [{ id: 'import', url: 'https://storage.example.com' }] }),
    features: z.array(z.string()),
    urlTemplates: anyObject,
  })
  .openapi('Index')
