import * as z from 'zod/mini'
import { described } from '../../lib/wire/described.ts'
import { wireDateText } from '../../lib/wire/fields.ts'
import { text } from '../http/fields.ts'

/** What a person writes about it. */
export const mergeRequestWords = {
  title: text({ min: 1, max: 255 }),
  description: text({ max: 20_000 }),
}

/** A configuration that was changed in both branches. */
export const conflictBody = z
  .object({
    message: z.string(),
    componentId: z.string(),
    configurationId: z.string(),
    isDeleted: z.boolean(),
    devBranchVersionIdentifier: z.string(),
    defaultBranchVersionIdentifier: z.nullable(z.string()),
  })
  .register(described, { name: 'MergeRequestConflict' })

/** A merge request in the OpenAPI document. */
export const mergeRequestBody = z
  .object({
    id: z.int(),
    creator: z.object({ id: z.int(), name: z.string() }),
    title: z.string(),
    description: z.string(),
    state: z.enum(['development', 'in_review', 'approved', 'published', 'canceled']),
    changeLog: z.object({
      configurations: z.array(
        z.object({
          isDeleted: z.boolean(),
          componentId: z.string(),
          configurationId: z.string(),
          lastVersionIdentifier: z.string(),
        }),
      ),
    }),
    branches: z.object({ branchFromId: z.int(), branchIntoId: z.int() }),
    merge: z.object({
      mergedAt: z.nullable(wireDateText),
      mergerId: z.nullable(z.int()),
      mergerName: z.nullable(z.string()),
    }),
    approvals: z.array(z.object({ approverId: z.int(), approverName: z.string(), createdAt: wireDateText })),
    createdAt: wireDateText,
  })
  .register(described, { name: 'MergeRequest' })
