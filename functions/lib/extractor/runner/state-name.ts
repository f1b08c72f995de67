import { hexDigest } from '../../digests.ts'
import type { JobPlan } from './job-plan.ts'

/** Name of a job in the state. Stable while the job's id, or its place and endpoint, stay the same. */
export const stateName = ({ job, path }: JobPlan): string =>
  job.id || `${job.endpoint}#${hexDigest(`${path}\0${job.endpoint}\0${job.dataType ?? ''}`, 12)}`
