import type { Route } from '../http/route.ts'
import { approveRun, rejectRun } from './decide-run.ts'
import { getRun } from './get-run.ts'
import { listRuns } from './list-runs.ts'

export const runsRoutes: readonly Route[] = [listRuns, getRun, approveRun, rejectRun]
