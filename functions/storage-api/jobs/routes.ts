import type { Route } from '../http/route.ts'
import { getJob } from './get-job.ts'
import { listJobs } from './list-jobs.ts'

export const jobsRoutes: readonly Route[] = [listJobs, getJob]
