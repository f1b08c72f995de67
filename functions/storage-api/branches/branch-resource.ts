import { z } from '@hono/zod-openapi'
import { wireDate } from '../../lib/storage-resources/wire-date.ts'
import { type BranchRecord, defaultBranchId } from '../../lib/storage-store/branch-store.ts'
import { wireDateText } from '../resources/shared.ts'

/** The branch on the wire (facts 1.1). */
export const branchResource = (branch: BranchRecord) => ({
  id: branch.id,
  name: branch.name,
  description: branch.description,
  created: wireDate(branch.created),
  isDefault: branch.id === defaultBranchId,
  creatorToken: { id: Number(branch.creatorToken.id), name: branch.creatorToken.description },
})

export const branchBody = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    created: wireDateText,
    isDefault: z.boolean(),
    creatorToken: z.object({ id: z.int(), name: z.string() }),
  })
  .openapi('Branch')
