import { UserError } from '../../errors/errors.ts'
import type { Pagination, SinglePagination } from '../config/pagination-schema.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import { cursorPaginator, jsonCursorPaginator } from './cursor.ts'
import { headerLinkPaginator } from './header-link.ts'
import { offsetPaginator, pagenumPaginator } from './pagenum.ts'
import { type Page, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'
import { responseParamPaginator, responseUrlPaginator, zendeskUrlPaginator } from './response-url.ts'
import { endsByItself, type Progress, stopReason } from './stop-rules.ts'

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

const byMethod = (settings: SinglePagination, input: PaginatorInput): Paginator => {
  switch (settings.method) {
    case 'offset':
      return offsetPaginator(settings, input)
    case 'pagenum':
      return pagenumPaginator(settings, input)
    case 'response.url':
      return responseUrlPaginator(settings, input)
    case 'zendesk.response.url':
      return zendeskUrlPaginator(settings, input)
    case 'response.param':
      return responseParamPaginator(settings, input)
    case 'cursor':
      return cursorPaginator(settings, input)
    case 'header-link':
      return headerLinkPaginator(settings, input)
    case 'json-cursor':
      return jsonCursorPaginator(settings, input)
  }
}

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
