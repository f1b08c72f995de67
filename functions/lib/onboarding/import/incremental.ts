import { type SentWindow, sentWindow } from '#lib/extractor/config/sent-window.ts'
import { durationOf, parseDuration, plus } from '#lib/extractor/values/functions/duration.ts'
import { isoTime, readMoment } from '#lib/extractor/values/functions/moments.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import type { TimeCursor } from './imported-source.ts'
import type { Report } from './report.ts'

type Lost = (key: string, why: string, level?: 'rows' | undefined) => undefined

/**
 * `incremental` of a job: windows of time, or the largest value where the tool counts by something else. The table needs a key: rows
 * that are read again take the place of the old ones.
 */
export const incrementalOf = (
  job: { endpoint: string; params: JsonObject; headers: JsonObject; primaryKey: readonly string[] },
  time: TimeCursor,
  path: string,
  report: Report,
): JsonObject | undefined => {
  const lost: Lost = (key, why, level) => void report.lost(key === '' ? path : `${path}.${key}`, why, level)
  const sent = sentWindow(job, time)
  const lack =
    job.primaryKey.length === 0
      ? 'the stream has no key'
      : sent.start || time.isByRows === true
        ? undefined
        : 'no parameter asks for them'
  if (job.primaryKey.length === 0 && isLonger(time))
    lost(
      'step',
      'all the time is asked for at once, as the stream has no key: an API may give only a part of it',
      'rows',
    )
  if (lack !== undefined)
    return lost('', `changes since the last run: ${lack}, so all rows are read in each run`)
  return time.isTime === true || looksLikeTime(time.start)
    ? inWindows(time, sent, lost)
    : byLargest(time, lost)
}

/** Whether the tool asks for more than one window. */
const isLonger = ({ start, step, param, until }: TimeCursor): boolean => {
  const length = step === undefined ? undefined : parseDuration(step)
  if (length === undefined || start === undefined || (param ?? until) === undefined) return false
  const moment = typeof start === 'object' ? undefined : readMoment(start)
  return moment === undefined || plus(moment, length) < Date.now()
}

const inWindows = (
  { cursor, param, until, start, end, step, lookback, granularity, format, isTime }: TimeCursor,
  sent: SentWindow,
  lost: Lost,
): JsonObject => {
  const windows = {
    cursor,
    param,
    until,
    start,
    end: endAfter(end, sent.end ? granularity : undefined, lost),
    step: step === undefined ? undefined : stepOf(step, start, sent, granularity, lost),
    lookback: lookback === undefined ? undefined : lengthOf('lookback', lookback, lost),
    granularity: granularity === undefined ? undefined : granularityOf(granularity, sent, lost),
    format: isTime === true ? format : formatOf(start),
  }
  return Object.fromEntries(
    Object.entries(windows).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  )
}

const stepOf = (
  step: string,
  start: Json | undefined,
  sent: SentWindow,
  granularity: string | undefined,
  lost: Lost,
): string | undefined => {
  if (start === undefined) return lost('step', 'it is not known where the first window begins: there is one')
  // A request for one day at a time means that day, and not all since
  if (!sent.start || !sent.end)
    return lost(
      'step',
      'the request has only one end of a window, so each would give all rows: there is one',
      step === granularity ? 'rows' : undefined,
    )
  return lengthOf('step', step, lost)
}

const granularityOf = (granularity: string, sent: SentWindow, lost: Lost): string | undefined => {
  if (!sent.end) return lost('granularity', 'the request has no end of a window')
  const months = parseDuration(granularity)?.months ?? 0
  if (months > 0) return lost('granularity', 'a length in months')
  return lengthOf('granularity', granularity, lost)
}

const lengthOf = (key: string, length: string, lost: Lost): string | undefined => {
  if (!/[1-9]/.test(length)) return undefined
  if (parseDuration(length) !== undefined) return length
  return lost(key, `the duration ${length}: ours are like P7D or PT1H, and of a millisecond at least`)
}

/** With a granularity the end belongs to what is read. Ours does not. */
const endAfter = (end: Json | undefined, granularity: string | undefined, lost: Lost): Json | undefined => {
  const length = granularity === undefined ? undefined : parseDuration(granularity)
  if (end === undefined && length !== undefined && durationOf(granularity ?? '').milliseconds >= 86_400_000)
    lost('end', `the last ${granularity} is read when it is over, not before`)
  if (end === undefined || granularity === undefined || parseDuration(granularity) === undefined) return end
  const moment = typeof end === 'object' ? undefined : readMoment(end)
  if (moment !== undefined) return isoTime(plus(moment, durationOf(granularity)))
  lost(
    'end',
    `it does not belong to what is read: rows of the last ${granularity} before it are left out`,
    'rows',
  )
  return end
}

const byLargest = (time: TimeCursor, lost: Lost): JsonObject | undefined => {
  const { cursor, param, start, until, end, lookback } = time
  if (param === undefined)
    return lost('', 'changes by a value that is no time: no parameter asks for them, so all rows are read')
  for (const [key, value] of Object.entries({ until, end, lookback }))
    if (value !== undefined) lost(key, 'reading by the largest value has no key for it')
  const type = typeof start === 'number' ? 'number' : start === undefined ? 'date' : 'text'
  return { idKey: cursor, param, type, ...(start === undefined ? {} : { initial: start }) }
}

const isUnixTime = (value: Json | undefined): boolean => /^\d{9,13}$/.test(String(value))

const looksLikeTime = (value: Json | undefined): boolean =>
  isUnixTime(value) ||
  (typeof value === 'string' && /^\d{4}-\d\d/.test(value) && readMoment(value) !== undefined)

/** The API is sent times like the first one. */
const formatOf = (start: Json | undefined): string | undefined => {
  const text = String(start)
  if (isUnixTime(start)) return text.length > 11 ? 'milliseconds' : 'seconds'
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'date'
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? 'Y-m-d H:i:s' : undefined
}
