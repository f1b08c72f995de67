import { wireDate } from '../../wire/wire-date.ts'
import type { BranchChange } from './branch-changes.ts'
import type { MergeRequest } from './merge-request-store.ts'

/** The merge request on the wire (docs/reference/storage-api.md#merge-requests). */
export const mergeRequestResource = (
  { id, title, description, state, creatorToken, created, merged, approvals, ...request }: MergeRequest,
  changes: readonly BranchChange[],
) => ({
  id,
  creator: { id: Number(creatorToken.id), name: creatorToken.description },
  title,
  description,
  state,
  changeLog: {
    configurations: changes.map(({ componentId, source }) => ({
      isDeleted: source.current.content.isDeleted,
      componentId,
      configurationId: source.id,
      lastVersionIdentifier: source.current.changed.identifier,
    })),
  },
  branches: { branchFromId: request.branchFromId, branchIntoId: request.branchIntoId },
  merge: {
    mergedAt: merged ? wireDate(merged.at) : null,
    mergerId: merged ? Number(merged.token.id) : null,
    mergerName: merged?.token.description ?? null,
  },
  approvals: approvals.map(({ at, token }) => ({
    approverId: Number(token.id),
    approverName: token.description,
    createdAt: wireDate(at),
  })),
  createdAt: wireDate(created),
})
