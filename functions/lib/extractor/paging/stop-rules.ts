import type { Json } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import type { SinglePagination } from '../config/pagination-schema.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import { phpJsonEncode } from '../values/php/php-serialize.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import type { Page } from './paginator.ts'

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
export const stopReason = (rules: StopRules, page: Page, progress: Progress, now: number): Stop | undefined =>
  limitReached(rules.limitStop, page, progress) ??
  stop(forced(rules.forceStop, progress, now), true) ??
  stop(flagged(rules, page), false)

const stop = (reason: string | undefined, isCut: boolean): Stop | undefined =>
  reason === undefined ? undefined : { reason, isCut }

/** Whether the job ends after this page by what the API says, whatever limits the configuration has. */
export const endsByItself = (rules: StopRules, page: Page, progress: Progress): boolean => {
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

/** Bytes of a response as the volume rule counts them. */
export const volumeOf = (response: Json): number => Buffer.byteLength(phpJsonEncode(response, false))
