import { completenessOf } from '../config/completeness-schema.ts'
import { pageFacts } from '../paging/completeness/page-facts.ts'
import { incomplete } from '../paging/completeness/run-check.ts'
import type { Page } from '../paging/paginator.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun } from './job-run.ts'

export const checkPage = (run: JobRun, page: Page, context: JobContext): void => {
  const { checks } = context
  if (checks === undefined || run.plan.job.completeness === undefined) return
  run.check ??= checks.start()
  const facts = pageFacts(run.plan.job, page, {
    given: run.columns,
    limitField: run.paginator.limitField,
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
  const findings = cut === undefined ? check.findings() : []
  if (findings.length > 0 && completenessOf(plan.job.completeness).mode === 'fail')
    throw incomplete(request.endpoint ?? plan.job.endpoint, findings)
  endChecked(run, { cut, findings }, context)
}

interface CheckedEnd {
  cut: string | undefined
  findings: readonly string[]
  /** Of a run that was read several times, and how they differed. */
  passes?: { count: number; moved: readonly string[] }
}

/** What is said of a checked run that has ended: in the log, in the summary and in the result. */
export const endChecked = (run: JobRun, { cut, findings, passes }: CheckedEnd, context: JobContext): void => {
  const { check, plan, request } = run
  if (check === undefined) return
  run.check = undefined
  context.checks?.end(check)
  const moved = passes?.moved ?? []
  const repaired =
    passes === undefined || moved.length === 0
      ? []
      : [`read ${passes.count} times, because rows moved while they were read: ${moved.join('; ')}`]
  const limits = cut === undefined ? check.limits() : [`not checked: ${cut.replace(/\.$/, '')}`]
  const said = [...findings, ...repaired, ...limits]
  const job = request.endpoint ?? plan.job.endpoint
  const message = said.length === 0 ? undefined : `Completeness of job '${job}': ${said.join('; ')}.`
  if (message !== undefined) context.log.warning(message)
  const outcome = findings.length > 0 ? 'incomplete' : cut === undefined ? 'complete' : 'notChecked'
  context.statistics.checked(plan, { outcome, message, passes: passes?.count })
}
