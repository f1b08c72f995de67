import { UserError } from '../../errors/errors.ts'
import { completenessOf } from '../config/completeness-schema.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import type { Pending } from './job-run.ts'
import type { IterationOptions } from './page-steps.ts'
import { runSequences } from './run-sequences.ts'
import { startJob } from './start-job.ts'

/** Runs all jobs of one iteration. Resolves to the pages that a stop left over; none when it is finished. */
export const runIteration = async (
  options: IterationOptions,
  sequences: Pending[][] = startSequences(options.plans, options.context),
): Promise<Pending[][]> => {
  const { plans, context } = options
  if (context.maxRows !== undefined) sayReadOnce(plans, context)
  await runSequences(sequences, options)
  const left = sequences.filter(sequence => sequence.length > 0)
  if (left.length === 0) refuseEmpty(plans, context)
  return left
}

/** Two passes give the same rows only when both are whole. */
const sayReadOnce = (plans: readonly JobPlan[], { log }: JobContext): void => {
  for (const { job } of allPlans(plans)) {
    if (job.completeness === undefined || completenessOf(job.completeness).mode !== 'repair') continue
    log.info(`Job '${job.endpoint}' is read once: in a preview "repair" does nothing.`)
  }
}

const startSequences = (plans: readonly JobPlan[], context: JobContext): Pending[][] =>
  groupByTable(plans, { mappings: context.config.mappings, method: context.defaults.method }).map(group =>
    group.flatMap(plan => startJob(plan, [], [], context)),
  )

/** @throws UserError `extractor.job.empty` for a job that must not be empty (`failWhenEmpty`) and gave no row */
const refuseEmpty = (plans: readonly JobPlan[], { statistics }: JobContext): void => {
  for (const plan of allPlans(plans)) {
    if (plan.job.failWhenEmpty !== true || statistics.rowsOf(plan) > 0) continue
    throw new UserError('extractor.job.empty', `Job '${plan.job.endpoint}' gave no rows ("failWhenEmpty").`)
  }
}
