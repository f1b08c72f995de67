import type { Route } from '../http/route.ts'
import { createMergeRequest } from './create-merge-request.ts'
import { mergeMergeRequest } from './merge.ts'
import { getMergeRequest, listMergeRequests } from './read-merge-requests.ts'
import { approveMergeRequest, requestChanges, requestReview } from './review-merge-request.ts'

export const mergeRequestsRoutes: readonly Route[] = [
  listMergeRequests,
  createMergeRequest,
  getMergeRequest,
  requestReview,
  approveMergeRequest,
  requestChanges,
  mergeMergeRequest,
]
