import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import type { ReportSettings } from '../config/report-schema.ts'
import { firstHeader } from '../requests/answers/http-response.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'
import { checkGraphqlErrors } from '../requests/http/graphql-errors.ts'
import { complete, overlay } from '../requests/http/overlay.ts'
import type { PageRequest, ReportPoll, RequestOptions } from '../requests/http/page-request.ts'
import { parseRetryHeader } from '../requests/http/retry-delay.ts'
import { toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, PageWork } from './job-run.ts'
import { type Above, fillEndpoint } from './placeholders.ts'
import { defaultsFor, expressionContexts, paginatorOf } from './start-run.ts'

/** In seconds. */
const reportDefaults = { attempts: 1, interval: 10, backoff: 1.5, maxInterval: 60, maxWait: 3600 }

interface Ways {
  fetch: (request: PageRequest) => Promise<FetchedPage>
  wait: (seconds: number) => Promise<void>
}

/** The answers so far: that which made the report, and the last one about its state. */
interface Answers {
  created: Json
  polled?: Json
}

/** The first request of a run: that of its first page, or the one that makes its report. */
export const firstRequest = (run: JobRun, above: Above, context: JobContext): PageRequest =>
  run.plan.job.report === undefined
    ? run.paginator.first
    : {
        ...complete(overlay(defaultsFor(context, above), run.request)),
        report: { phase: 'create', attempt: 1 },
      }

/**
 * Does what comes before the pages of a report: makes it, and asks for its state until it is ready. Then the page is the first of
 * the download.
 *
 * After each answer the page holds the next request, with all that is known of the report: a leg that is stopped while it waits
 * leaves the report to the next one, which does not make it again.
 *
 * @returns the answer that an error rule let pass, or that says that the report is empty: nothing follows it
 * @throws UserError `extractor.report.failed`, `extractor.report.late`, `extractor.report.value`
 */
export const makeReport = async (
  page: PageWork,
  { fetch, wait }: Ways,
  context: JobContext,
): Promise<FetchedPage | undefined> => {
  for (;;) {
    const { run, request } = page
    const { report } = request
    const settings = run.plan.job.report
    if (report === undefined || settings === undefined) return undefined
    if (report.phase === 'poll') await wait(Math.max(0, report.notBefore - context.now()))
    const sentAt = context.now()
    const fetched = await fetch(request)
    context.statistics.polled(run.plan)
    if (fetched.ends !== undefined) return fetched
    const { response } = fetched
    checkGraphqlErrors(response, run.plan.job, context.log)
    if (report.phase === 'create')
      page.request = pollOf(run, settings, response, { sentAt, attempt: report.attempt }, context)
    else if (isIn(settings.empty, stateOf(settings, response))) return { ...fetched, ends: 'empty report' }
    else {
      const found = stateAfter(run, settings, report, fetched, { sentAt, context })
      if (found instanceof UserError) page.request = again(run, settings, report, found, context)
      else if (found !== 'ready') page.request = { ...request, report: found }
      else {
        const read = downloadOf(run, settings, { created: report.created, polled: response }, context)
        if (read === undefined) return { ...fetched, ends: 'empty report' }
        Object.assign(page, read)
      }
    }
  }
}

const pollOf = (
  run: JobRun,
  settings: ReportSettings,
  created: Json,
  { sentAt, attempt }: { sentAt: number; attempt: number },
  context: JobContext,
): PageRequest => {
  const { interval: wait } = { ...reportDefaults, ...settings }
  const request = stepRequest(run, settings, 'poll', { created }, context)
  return {
    ...complete(overlay(defaultsFor(context, run), request)),
    report: { phase: 'poll', attempt, created, createdAt: sentAt, notBefore: sentAt + wait, wait, polls: 0 },
  }
}

/** The report is asked for once more. @throws what ended the last attempt */
const again = (
  run: JobRun,
  settings: ReportSettings,
  { attempt }: ReportPoll,
  failure: UserError,
  context: JobContext,
): PageRequest => {
  const { attempts } = { ...reportDefaults, ...settings }
  if (attempt >= attempts) throw failure
  context.log.warning(`${failure.message} It is asked for again (${attempt + 1} of ${attempts}).`)
  return { ...firstRequest(run, run, context), report: { phase: 'create', attempt: attempt + 1 } }
}

/** Whether it can be read, when to ask next, or why it never will be. */
const stateAfter = (
  run: JobRun,
  settings: ReportSettings,
  report: ReportPoll,
  fetched: FetchedPage,
  asked: { sentAt: number; context: JobContext },
): 'ready' | ReportPoll | UserError => {
  try {
    return isReady(run, settings, fetched.response) ? 'ready' : waitOn(run, settings, report, fetched, asked)
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

/** @throws UserError `extractor.report.failed` for a state that the configuration names so */
const isReady = ({ plan }: JobRun, settings: ReportSettings, response: Json): boolean => {
  const { status, ready, failed, message } = settings
  const state = stateOf(settings, response)
  if (isIn(ready, state)) return true
  if (!isIn(failed, state)) return false
  const said = message === undefined ? '' : toText(valueAt(message, response))
  throw new UserError(
    'extractor.report.failed',
    `The report of job '${plan.job.endpoint}' failed: its "${status}" is "${state}"${said === '' ? '' : `, ${said.slice(0, LONGEST_MESSAGE)}`}.`,
  )
}

const LONGEST_MESSAGE = 1_000

const stateOf = ({ status }: ReportSettings, response: Json): string => toText(valueAt(status, response))

const isIn = (states: ReportSettings['failed'] = [], state: string): boolean =>
  states.some(one => toText(one) === state)

/** Polls after which a state that the configuration does not name is said: it may never change. */
const POLLS_UNTIL_SAID = 5

const unknownState = (
  endpoint: string,
  { status, ready, failed = [], empty = [] }: ReportSettings,
  state: string,
): string => {
  const named = [...ready, ...failed, ...empty].map(toText)
  const meant = named.find(one => one.toLowerCase() === state.toLowerCase())
  const hint = meant === undefined ? '' : ` "${meant}" is another spelling of it.`
  return `The report of job '${endpoint}': its "${status}" is "${state}" after ${POLLS_UNTIL_SAID} polls, which "ready", "failed" and "empty" do not name.${hint}`
}

/** Polls fall a little sooner in one run than in the recording of it: the last one does not decide by that. */
const SAME_MOMENT_SECONDS = 0.5

/** @throws UserError `extractor.report.late` */
const waitOn = (
  { plan }: JobRun,
  settings: ReportSettings,
  report: ReportPoll,
  { response, headers }: FetchedPage,
  { sentAt, context }: { sentAt: number; context: JobContext },
): ReportPoll => {
  const { backoff, maxInterval, maxWait } = { ...reportDefaults, ...settings }
  const waited = sentAt - report.createdAt
  const polls = report.polls + 1
  const left = maxWait - waited
  if (left <= Math.min(SAME_MOMENT_SECONDS, maxWait / 10))
    throw new UserError(
      'extractor.report.late',
      `The report of job '${plan.job.endpoint}' is not ready after ${Math.round(waited)} seconds and ${polls} polls: its "${settings.status}" is "${stateOf(settings, response)}".`,
    )
  if (polls === POLLS_UNTIL_SAID)
    context.log.warning(unknownState(plan.job.endpoint, settings, stateOf(settings, response)))
  const asked = firstHeader(headers, 'retry-after')
  const told = asked === undefined ? undefined : parseRetryHeader(asked, context.now())
  const grown = Math.min(report.wait * backoff, Math.max(maxInterval, report.wait))
  const wait = Math.min(told !== undefined && told > 0 ? told : grown, left)
  return { ...report, polls, wait: grown, notBefore: sentAt + wait }
}

/** The run goes on with the download of each file, in pages of its own. Nothing when the report has none. */
const downloadOf = (
  run: JobRun,
  settings: ReportSettings,
  answers: Answers,
  context: JobContext,
): PageWork | undefined => {
  const request = stepRequest(run, settings, 'download', answers, context)
  const endpoints = endpointsOf(request.endpoint ?? '', answers, `jobs.${run.plan.path}.report.download`)
  return nextDownload({ ...run, downloads: endpoints.map(endpoint => ({ ...request, endpoint })) }, context)
}

/** The first page of the next file of a report; nothing after the last, and for other jobs. */
export const nextDownload = (run: JobRun, context: JobContext): PageWork | undefined => {
  const [request, ...downloads] = run.downloads ?? []
  if (request === undefined) return undefined
  const paginator = paginatorOf(run.plan, request, run, context)
  const { plan, columns, placeholders, rows, window } = run
  const progress = { pages: 0, items: 0, volume: 0, startedAt: context.now() }
  const own = { request, paginator, progress, downloads, lastPage: undefined, lastFingerprint: undefined }
  return { run: { plan, columns, placeholders, rows, window, ...own }, request: paginator.first }
}

/** The request of a step: values of the answers in its endpoint and params, the headers of the job below its own. */
const stepRequest = (
  run: JobRun,
  settings: ReportSettings,
  step: 'poll' | 'download',
  answers: Answers,
  context: JobContext,
): RequestOptions => {
  const { plan, placeholders } = run
  const { endpoint, method = 'GET', params, headers } = settings[step]
  const contexts = { ...expressionContexts(context, run), ...answers }
  const path = `jobs.${plan.path}.report.${step}`
  const values = context.evaluate({ ...params }, contexts, `${path}.params`)
  const filled = fillEndpoint(endpoint, placeholders)
  return {
    endpoint: step === 'download' ? filled : (endpointsOf(filled, answers, path)[0] ?? filled),
    method,
    params: Array.isArray(params) ? Object.values(values) : values,
    headers: { ...run.request.headers, ...context.evaluate(headers ?? {}, contexts, `${path}.headers`) },
  }
}

/** Values of the answers in the place of their names; of a list there, one address for each element. */
const endpointsOf = (template: string, answers: Answers, path: string): string[] =>
  template.split(/\{([^{}]+)\}/).reduce<string[]>(
    (made, part, index) => {
      const values = index % 2 === 0 ? [part] : answerValues(part, answers, path)
      return made.flatMap(start => values.map(value => start + value))
    },
    [''],
  )

const answerValues = (name: string, { created, polled }: Answers, path: string): string[] => {
  const found = valueAt(name, polled ?? null) ?? valueAt(name, created)
  const values = [found ?? ''].flat().map(value => toText(value))
  if (values.every(value => value !== '')) return values
  throw new UserError(
    'extractor.report.value',
    `The answers about the report have no value at '${name}', which ${path}.endpoint names.`,
  )
}
