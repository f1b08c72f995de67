import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import type { Pagination, PaginationOf, SinglePagination } from '../config/pagination-schema.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { cursorPaginator, jsonCursorPaginator } from './cursor.ts'
import {
  headerLinkPaginator,
  responseParamPaginator,
  responseUrlPaginator,
  zendeskUrlPaginator,
} from './next-address.ts'
import { offsetPaginator, pagenumPaginator } from './pagenum.ts'
import { type Page, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/** A job's pagination together with the stop rules that go with it. */
export interface JobPaginator extends Paginator {
  /** Why the job ends after this page whatever the paginator says, or `undefined`. */
  stop: (page: Page, progress: Progress, now: number) => ReturnType<typeof stopReason>
  /** Whether the job would end after this page without any limit of the configuration, as far as the page shows. */
  isLast: (page: Page, previous: PageRequest, progress: Progress) => boolean
  /** Path of the number of items that a stop rule reads. */
  limitField: string | undefined
  /** Whether a stop rule counts bytes, which costs writing each response as JSON again. */
  countsVolume: boolean
}

/** The pagination of one run of a job; `scroller` picks one of `multiple`. */
export const createPaginator = (
  config: Pagination | undefined,
  scroller: string | undefined,
  input: PaginatorInput,
): JobPaginator => {
  const single = config?.method === 'multiple' ? pick(config, scroller) : config
  const outer = config?.method === 'multiple' ? config : undefined
  const paginator = single === undefined ? onePage(input) : byMethod(single, input)
  return {
    ...paginator,
    stop: (page, progress, now) =>
      (outer && stopReason(outer, page, progress, now)) ??
      (single && stopReason(single, page, progress, now)),
    isLast: (page, previous, progress) =>
      [outer, single].some(rules => rules !== undefined && endsByItself(rules, page, progress)) ||
      hasNoNext(paginator, page, previous),
    limitField: single?.limitStop?.field || outer?.limitStop?.field || undefined,
    countsVolume: Boolean(outer?.forceStop?.volume || single?.forceStop?.volume),
  }
}

const hasNoNext = ({ next, stuck }: Paginator, page: Page, previous: PageRequest): boolean => {
  try {
    return stuck?.(page, previous) === undefined && next(page, previous) === undefined
  } catch (error) {
    if (error instanceof UserError) return false // nobody asks for that page, so what it lacks is no error
    throw error
  }
}

const onePage = (input: PaginatorInput): Paginator => ({
  first: pageRequest(input),
  next: () => undefined,
  toldBy: 'nothing',
  ended: 'the job has no pagination',
})

type Maker<Settings = never> = (settings: Settings, input: PaginatorInput) => Paginator

const makers: { [Method in SinglePagination['method']]: Maker<PaginationOf<Method>> } = {
  offset: offsetPaginator,
  pagenum: pagenumPaginator,
  'response.url': responseUrlPaginator,
  'zendesk.response.url': zendeskUrlPaginator,
  'response.param': responseParamPaginator,
  cursor: cursorPaginator,
  'header-link': headerLinkPaginator,
  'json-cursor': jsonCursorPaginator,
}

const byMethod = (settings: SinglePagination, input: PaginatorInput): Paginator =>
  (makers[settings.method] as Maker<SinglePagination>)(settings, input) // the one of its method

type Multiple = Extract<Pagination, { method: 'multiple' }>

const pick = (
  { scrollers, default: fallback }: Multiple,
  scroller: string | undefined,
): SinglePagination | undefined => {
  const name = scroller || fallback
  if (!name) return undefined
  const found = Object.hasOwn(scrollers, name) ? scrollers[name] : undefined
  if (found !== undefined) return found
  const defined = Object.keys(scrollers).join(', ')
  throw new UserError(
    'extractor.config.scroller',
    scroller
      ? `Scroller '${scroller}' not set in API definitions. Scrollers defined: ${defined}`
      : `Default scroller '${fallback}' does not exist`,
  )
}

/** What one run of a job has read so far, this page included. */
export interface Progress {
  pages: number
  items: number
  /** Bytes of the responses as minified JSON; counted only where a rule asks for it. */
  volume: number
  startedAt: number
}

type StopRules = Pick<SinglePagination, 'nextPageFlag' | 'forceStop' | 'limitStop'>

interface Stop {
  reason: string
  /** Whether there may be more at the API, which the configuration does not want. */
  isCut: boolean
}

/**
 * Why the job ends after this page, or `undefined` (docs/reference/extractor-pagination.md#stop-rules): `limitStop`, `forceStop`,
 * `nextPageFlag`, in this order.
 */
const stopReason = (rules: StopRules, page: Page, progress: Progress, now: number): Stop | undefined =>
  limitReached(rules.limitStop, page, progress) ??
  stop(forced(rules.forceStop, progress, now), true) ??
  stop(flagged(rules, page), false)

const stop = (reason: string | undefined, isCut: boolean): Stop | undefined =>
  reason === undefined ? undefined : { reason, isCut }

/** Whether the job ends after this page by what the API says, whatever limits the configuration has. */
const endsByItself = (rules: StopRules, page: Page, progress: Progress): boolean => {
  const { limitStop } = rules
  const total = limitStop?.field ? limitReached(limitStop, page, progress) : undefined
  return total?.isCut === false || flagged(rules, page) !== undefined
}

const limitReached = (rule: StopRules['limitStop'], page: Page, progress: Progress): Stop | undefined => {
  if (rule === undefined) return undefined
  const said = rule.field ? toText(valueAt(rule.field, page.response)) : undefined
  const limit = said === undefined ? (rule.count ?? 0) : Number(said)
  // A field that is missing counts as a limit of zero
  if (progress.items < (Number.isNaN(limit) ? 0 : limit)) return undefined
  return {
    reason: `Limit reached, stopping scrolling. Current count: ${progress.items}, limit: ${limit}`,
    isCut: said === undefined || said === '' || Number.isNaN(limit),
  }
}

const forced = (rule: StopRules['forceStop'], progress: Progress, now: number): string | undefined => {
  if (rule === undefined) return undefined
  const { pages, volume } = rule
  if (pages && progress.pages >= pages) return `Force stopping: page limit reached (${pages} pages).`
  const seconds = rule.time ? toSeconds(rule.time) : undefined
  if (seconds !== undefined && progress.startedAt + seconds <= now) {
    return `Force stopping: time limit reached (${seconds} seconds).`
  }
  return volume && progress.volume > volume
    ? `Force stopping: volume limit reached (${volume} bytes).`
    : undefined
}

/** A number of seconds, or a relative time such as `1 hour`. */
const toSeconds = (time: number | string): number =>
  typeof time === 'number'
    ? time
    : Number(evaluate({ function: 'strtotime', args: [time, 0] }, {}, { now: 0 }))

const flagged = ({ nextPageFlag: rule }: StopRules, page: Page): string | undefined => {
  if (rule === undefined) return undefined
  const { response } = page
  const isTop = isObject(response) && Object.hasOwn(response, rule.field)
  const value = isTop ? response[rule.field] : valueAt(rule.field, response)
  const flag = value === undefined || value === null ? (rule.ifNotSet ?? rule.stopOn) : !isEmpty(value)
  return flag === rule.stopOn ? `the flag '${rule.field}' says that this is the last page` : undefined
}
