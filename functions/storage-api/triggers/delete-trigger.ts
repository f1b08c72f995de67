import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTrigger } from './check-trigger.ts'

export const deleteTrigger = defineRoute({
  method: 'delete',
  path: '/v2/storage/triggers/{triggerId}',
  summary: 'Delete a trigger',
  tag: 'triggers',
  access: 'project',
  replies: { 204: 'Deleted', 404: 'There is no such trigger' },
  handle: async ({ params }, services) => {
    await services.triggers.delete((await findTrigger(services, params.triggerId)).id)
    return noContent()
  },
})
