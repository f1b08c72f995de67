import { z } from '@hono/zod-openapi'
import { refuseTakenName } from '../../lib/storage/branches/refuse-taken-name.ts'
import { text } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'

/** The queue of new branches: of two with one name at once the second finds the first. No table has such an id. */
const BRANCHES = 'branches'

/** Creates a development branch with copies of all configurations. It sees the default branch's tables until it writes them. */
export const createBranch = defineRoute({
  method: 'post',
  path: '/v2/storage/dev-branches',
  summary: 'Create a branch',
  tag: 'branches',
  access: 'master',
  body: z.object({ name: text({ min: 1, max: 255 }), description: text({ max: 20_000 }).default('') }),
  replies: {
    202: 'A job `devBranchCreate`; its results are the branch',
    400: '`devBranch.duplicateName`',
    403: 'The token is not the master token',
  },
  handle: async (request, services) => {
    const { name, description } = request.body
    const componentIds = services.components.list().map(({ id }) => id)
    return submitJob(request, services, {
      input: { operationName: 'devBranchCreate', name, description, componentIds },
      queueTableId: BRANCHES,
      admit: async () => {
        await refuseTakenName(services.branches, { name })
        return { values: { name, description }, queue: 'main' }
      },
    })
  },
})
