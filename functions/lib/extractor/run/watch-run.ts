import { UserError } from '../../errors/errors.ts'
import type { Silence } from '../config/silence-schema.ts'
import { judgeEnd, type RunEnding } from '../paging/completeness/judge-end.ts'
import { RunWatch, type WatchedPage } from '../paging/completeness/run-watch.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { JobRun } from './job-run.ts'

export const nameOf = ({ plan, request }: JobRun): string => request.endpoint ?? plan.job.endpoint

/** @throws UserError `extractor.pagination.endless` */
export const watchPage = (
  run: JobRun,
  request: PageRequest,
  seen: { watched: WatchedPage } | undefined,
  { silence }: JobContext,
): void => {
  if (silence === undefined || seen === undefined) return
  if (run.watch === undefined) {
    run.watch = new RunWatch()
    run.watch.asks(nameOf(run), request, 0)
  }
  run.watch.page(nameOf(run), seen.watched)
}

/**
 * Says it when a run of a job ends although the answers say that there is more.
 *
 * @throws UserError `extractor.job.silent` where that fails the run
 */
export const tellSilence = (
  run: JobRun,
  { isRepeated, stuck, ...ending }: Omit<RunEnding, 'knowsTotal' | 'pageSize'>,
  context: JobContext,
): void => {
  const { plan, watch, progress, check } = run
  const { silence } = context
  const mode = plan.job.silence ?? silence
  if (watch === undefined || silence === undefined || mode === 'allow') return
  const knowsTotal = check !== undefined || plan.job.completeness !== undefined
  // A page that comes again without rows is the last one of many APIs
  const { pageSize, leavesNext, toldBy } = run.paginator
  const found = judgeEnd(
    {
      ...ending,
      isRepeated: isRepeated === true && watch.count > 0,
      // An API that gives the last item again has given all
      stuck: toldBy === 'items' && watch.count <= 1 ? undefined : stuck,
      pageSize,
      knowsTotal,
    },
    {
      rows: watch.rows,
      count: watch.count,
      total: watch.total,
      more: leavesNext === true ? undefined : watch.more,
      // Those of GraphQL have a key of their own
      wrong: plan.job.graphql === undefined ? watch.wrong : undefined,
    },
  )
  if (found.length === 0) return
  const message = `Job '${nameOf(run)}' ended after page ${progress.pages} because ${ending.reason}, but ${found.join('; ')}.`
  sayAs(mode ?? silence, plan, message, context)
}

/** @throws UserError `extractor.job.silent` */
export const sayAs = (
  mode: Silence,
  plan: JobPlan,
  message: string,
  { statistics, log }: JobContext,
): void => {
  if (mode === 'allow') return
  if (mode === 'fail') throw new UserError('extractor.job.silent', `${message} ("silence": "fail")`)
  if (statistics.silent(plan, message)) log.warning(message)
}
