import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import {
  type BranchRecord,
  branchResource,
  refuseTakenName,
} from '../../lib/storage/branches/branch-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { wireDateText } from '../../lib/wire/fields.ts'
import { findBranch } from '../find/find-branch.ts'
import { text } from '../http/fields.ts'
import { tellingAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'

export const routes = routesOf('branches')

/** A branch in the OpenAPI document. */
const branchBody = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    created: wireDateText,
    isDefault: z.boolean(),
    creatorToken: z.object({ id: z.int(), name: z.string() }),
  })
  .meta({ id: 'Branch' })

/** The branches, the default one last, as the hosted service lists them. Clients read its id here and use it in the paths of all other routes. */
routes.get('/v2/storage/dev-branches', {
  summary: 'List branches',
  replies: { 200: 'The branches' },
  reply: z.array(branchBody),
  handle: async (_request, services) => {
    const all = await services.branches.list()
    const others = all.filter(({ id }) => id !== defaultBranchId)
    return [...others, await findBranch(services, 'default')].map(branchResource)
  },
})

routes.get('/v2/storage/dev-branches/{branchId}', {
  summary: 'Branch detail',
  replies: { 200: 'The branch', 404: 'There is no such branch' },
  reply: branchBody,
  handle: async ({ params }, services) => branchResource(await findBranch(services, params.branchId)),
})

/** The queue of new branches: of two with one name at once the second finds the first. No table has such an id. */
const BRANCHES = 'branches'

/** Creates a development branch with copies of all configurations. It sees the default branch's tables until it writes them. */
routes.post('/v2/storage/dev-branches', {
  summary: 'Create a branch',
  access: 'master',
  body: z.object({ name: text({ min: 1, max: 255 }), description: text({ max: 20_000 }).default('') }),
  replies: {
    202: 'A job `devBranchCreate`; its results are the branch',
    400: '`devBranch.duplicateName`',
    403: 'The token is not the master token',
  },
  handle: async (request, services) => {
    const { name, description } = request.body
    return submitJob(request, services, {
      input: { operationName: 'devBranchCreate', name, description },
      queueTableId: BRANCHES,
      admit: async () => {
        await refuseTakenName(services.branches, { name })
        return { values: { name, description }, queue: 'main' }
      },
    })
  },
})

/** Changes name and description. The default branch keeps its name; an empty name leaves it as it is. */
routes.put('/v2/storage/dev-branches/{branchId}', {
  summary: 'Update a branch',
  access: 'project',
  body: z.object({
    name: text({ max: 255 }).optional(),
    description: text({ max: 20_000 }).optional(),
  }),
  replies: {
    200: 'The branch',
    400: '`devBranch.duplicateName`, `storage.devBranch.cannotRenameDefault`',
    404: 'There is no such branch',
  },
  reply: branchBody,
  handle: async (request, services) => {
    const { params, body } = request
    const { branches } = services
    const branch = await findBranch(services, params.branchId)
    const name = newName(branch, body.name)
    await refuseTakenName(branches, { id: branch.id, name })
    // The default branch has no record of its own before its first change.
    if (branch.revision === 0) await branches.insert(branch)
    const updated = await branches.update(
      branch.id,
      current => ({ ...current, name, description: body.description ?? current.description }),
      changed =>
        tellingAudit(request, services, 'devBranchUpdated', {
          id: String(branch.id),
          name: branch.name,
          params: { devBranchName: changed.name },
        }),
    )
    return branchResource(updated ?? branch)
  },
})

const newName = ({ id, name }: BranchRecord, given: string | undefined): string => {
  if (given === undefined || given === name) return name
  if (id !== defaultBranchId) {
    if (given !== '') return given
    throw new UserError('storage.validation', 'Invalid request:\n - name: "This value should not be blank."')
  }
  if (given === '') return name
  throw new UserError('storage.devBranch.cannotRenameDefault', 'You can not update default branch name.')
}

routes.delete('/v2/storage/dev-branches/{branchId}', {
  summary: 'Delete a branch with all that is its own',
  access: 'master',
  replies: {
    202: 'A job `devBranchDelete`',
    400: '`storage.devBranch.cannotDeleteDefault`',
    403: 'The token is not the master token',
    404: 'There is no such branch',
  },
  handle: async (request, services) => {
    const { id, name } = await findBranch(services, request.params.branchId)
    if (id === defaultBranchId)
      throw new UserError('storage.devBranch.cannotDeleteDefault', 'Cannot delete Main branch')
    return submitJob(request, services, {
      input: { operationName: 'devBranchDelete', branchId: id, name },
      admit: async () => ({ branchId: id }),
    })
  },
})
