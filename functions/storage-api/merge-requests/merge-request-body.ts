import { z } from '@hono/zod-openapi'
import { wireDateText } from '../http/body-fields.ts'

/** A merge request in the OpenAPI document. */
export const mergeRequestBody = z
  .object({
    id: z.int(),
    creator: z.object({ id: z.int(), name: z.string() }),
    title: z.string(),
    description: z.string(),
    state: z.enum(['development', 'in_review', 'approved', 'published', 'canceled']),
    changeLog: z.array(
      z.object({
        componentId: z.string(),
        configurationId: z.string(),
        isDeleted: z.boolean(),
        devBranchVersionIdentifier: z.string(),
        defaultBranchVersionIdentifier: z.string().nullable(),
      }),
    ),
    branches: z.object({ branchFromId: z.int(), branchIntoId: z.int() }),
    merge: z.object({
      mergedAt: wireDateText.nullable(),
      mergerId: z.int().nullable(),
      mergerName: z.string().nullable(),
    }),
    approvals: z.array(z.object({ approverId: z.int(), approverName: z.string(), createdAt: wireDateText })),
    createdAt: wireDateText,
  })
  .openapi('MergeRequest')
