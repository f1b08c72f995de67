import { pageFacts } from '../completeness/page-facts.ts'
import { incomplete } from '../completeness/run-check.ts'
import { completenessOf } from '../config/completeness-schema.ts'
import type { Page } from '../pagination/paginator.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun } from './job-run.ts'

export const checkPage = (run: JobRun, page: Page, context: JobContext): void => {
  const { checks } = context
  if (checks === undefined || run.plan.job.completeness === undefined) return
  run.check ??= checks.start()
  const facts = pageFacts(run.plan.job, page, {
    given: run.columns,
    limitField: run.pagination.limitField,
  })
  checks.note(run.check, facts)
}

/**
 * Says what a run of a job lacks when it has ended.
 *
 * @param cut why not all of it was asked for, such as a limit of pages: its rows are not compared then
 * @throws UserError `extractor.job.incomplete` when it must be complete and is not
 */
export const checkEnd = (run: JobRun, cut: string | undefined, context: JobContext): void => {
  const { check, plan, request } = run
  if (check === undefined || plan.job.completeness === undefined) return
  run.check = undefined
  context.checks?.end(check)
  const findings = cut === undefined ? check.findings() : []
  const limits = cut === undefined ? check.limits() : [`not checked: ${cut.replace(/\.$/, '')}`]
  const job = request.endpoint ?? plan.job.endpoint
  if (findings.length > 0 && completenessOf(plan.job.completeness).mode === 'fail')
    throw incomplete(job, findings)
  const outcome = findings.length > 0 ? 'incomplete' : cut === undefined ? 'complete' : 'notChecked'
  const said = [...findings, ...limits]
  const message = said.length === 0 ? undefined : `Completeness of job '${job}': ${said.join('; ')}.`
  if (message !== undefined) context.log.warning(message)
  context.statistics.checked(plan, outcome, message)
}
