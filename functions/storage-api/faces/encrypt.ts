import { z } from 'zod'
import { integer, text } from '../http/fields.ts'
import { readJsonValue } from '../http/read-body.ts'
import { routesOf } from '../http/route.ts'

export const routes = routesOf('encryption')

/**
 * Seals the values under `#` keys, or one text, for a component of a project, and for one of its configurations where that is
 * named. A run of that component opens them; no route does. Needs no token, as clients send none: sealing reveals nothing.
 */
routes.post('/encryption/encrypt', {
  summary: 'Seal secrets for a component',
  isPublic: true,
  query: z.object({
    componentId: text({ min: 1, max: 255 }),
    projectId: integer({ min: 1 }).optional(),
    configId: text({ max: 255 }).optional(),
    branchType: text().optional(),
  }),
  replies: { 200: 'The same JSON, sealed' },
  reply: z.union([z.string(), z.record(z.string(), z.unknown())]),
  handle: async ({ query: { componentId, configId, ...query }, raw }, { seal, projectId }) => {
    const owner = { projectId: query.projectId ?? projectId, componentId, configId }
    const value = await readJsonValue(raw)
    if (typeof value !== 'string') return seal(value, owner)
    const sealed = await seal({ '#': value }, owner)
    return (sealed as { '#': string })['#'] // sealing maps objects to objects, and texts to texts
  },
})
