import * as z from 'zod/mini'
import { componentBody } from './component-body.ts'
import { anyObject, described } from './fields.ts'

/** What the service is and where its parts are (docs/reference/storage-api.md#index). */
export const indexBody = z
  .object({
    host: z.string(),
    api: z.literal('storage'),
    version: z.string().register(described, { example: 'v2' }),
    revision: z.string(),
    stack: z.string(),
    documentation: z.string(),
    components: z.optional(z.array(z.partial(componentBody))),
    services: z
      .array(z.object({ id: z.string(), url: z.string() }))
      .register(described, { example: [{ id: 'import', url: 'https://storage.example.com' }] }),
    features: z.array(z.string()),
    urlTemplates: anyObject,
  })
  .register(described, { id: 'Index' })
