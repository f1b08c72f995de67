import { wireDate } from '../../wire/wire-date.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import type { BranchRecord } from './branch-store.ts'

/** The branch on the wire (docs/reference/storage-api.md#branches). */
export const branchResource = (branch: BranchRecord) => ({
  id: branch.id,
  name: branch.name,
  description: branch.description,
  created: wireDate(branch.created),
  isDefault: branch.id === defaultBranchId,
  creatorToken: { id: Number(branch.creatorToken.id), name: branch.creatorToken.description },
})
