import type { Route } from '../http/route.ts'
import { createBranch } from './create-branch.ts'
import { deleteBranch } from './delete-branch.ts'
import { getBranch } from './get-branch.ts'
import { listBranches } from './list-branches.ts'
import { updateBranch } from './update-branch.ts'

export const branchesRoutes: readonly Route[] = [
  listBranches,
  createBranch,
  deleteBranch,
  getBranch,
  updateBranch,
]
