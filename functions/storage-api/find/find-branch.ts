import { UserError } from '../../lib/errors/errors.ts'
import type { BranchRecord } from '../../lib/storage/branches/branch-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import type { Services } from '../services/services.ts'

/** The branch of a path, by `default` or by its id. Throws 404 `notFound`. */
export const findBranch = async ({ branches, project }: Services, name: string): Promise<BranchRecord> => {
  const id = name === 'default' ? defaultBranchId : parseId(name)
  const branch = id === undefined ? undefined : await branches.get(id)
  if (branch) return branch
  if (id === defaultBranchId) return defaultBranch(await project.created())
  throw new UserError('notFound', `Branch id:"${name.slice(0, 50)}" was not found.`)
}

/**
 * Like `findBranch`, for a path that may name no branch. Does not look up the default branch, which most paths name.
 */
export const findBranchId = async (services: Services, name: string | undefined): Promise<number> => {
  if (name === undefined || name === 'default' || name === String(defaultBranchId)) return defaultBranchId
  return (await findBranch(services, name)).id
}

/** The default branch of a project before anybody has changed it. */
const defaultBranch = (created: string): BranchRecord => ({
  id: defaultBranchId,
  name: 'Main',
  description: '',
  created,
  creatorToken: { id: '1', description: 'Master token' },
  revision: 0,
})
