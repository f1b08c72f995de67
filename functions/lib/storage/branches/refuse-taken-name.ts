import { UserError } from '../../errors/errors.ts'
import type { BranchStore } from './branch-store.ts'

/** Error: 400 `devBranch.duplicateName` when another branch has the name. */
export const refuseTakenName = async (
  branches: Pick<BranchStore, 'list'>,
  { id, name }: { id?: number; name: string },
): Promise<void> => {
  if ((await branches.list()).some(other => other.id !== id && other.name === name))
    throw new UserError('devBranch.duplicateName', `There already is a branch with name "${name}"`)
}
