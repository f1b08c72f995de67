import { z } from 'zod'
import type { ItemTable } from '../db/item-table.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

const person = z.object({ id: z.string(), description: z.string() })

const mergeRequestRecord = z.object({
  id: z.number(),
  branchFromId: z.number(),
  branchIntoId: z.number(),
  title: z.string(),
  description: z.string(),
  state: z.enum(['development', 'in_review', 'approved', 'published', 'canceled']),
  creatorToken: person,
  /** ISO 8601. */
  created: z.string(),
  merged: z.object({ at: z.string(), token: person }).optional(),
  approvals: z.array(z.object({ at: z.string(), token: person })),
  /** Digests of the changes that were approved: no others are merged. */
  approvedChanges: z.array(z.string()),
  revision: z.number(),
})

export type MergeRequest = z.infer<typeof mergeRequestRecord>
export type MergeRequestState = MergeRequest['state']

/** Requests to merge a branch's configurations into the default branch. */
export const createMergeRequestStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'MERGE-REQUESTS',
    schema: mergeRequestRecord,
    name: 'merge request',
    busyCode: 'storage.mergeRequest.busy',
  })
