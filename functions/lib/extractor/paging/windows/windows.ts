import type { WindowSettings } from '../../config/incremental-schema.ts'
import { durationOf, plus } from '../../values/functions/duration.ts'

/** Rows from `start` on and before `end`, in milliseconds since 1970. Without `start`: all before `end`. */
export interface Window {
  start?: number
  end: number
}

type Steps = Pick<WindowSettings, 'step' | 'lookback' | 'granularity'>

interface Given {
  /** `start` of the configuration. */
  start: number | undefined
  end: number
  /** Up to where an earlier run has read. */
  finished: number | undefined
}

/**
 * The time that is to be read: from where the last run ended, less the lookback, but not before `start`. `undefined` when it
 * has been read. Both ends are rounded down to the granularity, so that no part of a day is taken for the whole of it.
 */
export const timeToRead = ({ start, end, finished }: Given, steps: Steps): Window | undefined => {
  const last = roundedDown(end, steps)
  if (finished !== undefined && finished >= last) return undefined
  const back = finished !== undefined && steps.lookback !== undefined
  const resumed = back ? plus(finished, durationOf(steps.lookback ?? ''), -1) : finished
  const first = resumed === undefined ? start : Math.max(resumed, start ?? resumed)
  if (first === undefined) return { end: last }
  const from = roundedDown(first, steps)
  return from < last ? { start: from, end: last } : undefined
}

const roundedDown = (moment: number, { granularity }: Steps): number => {
  if (granularity === undefined) return moment
  const { milliseconds } = durationOf(granularity)
  return Math.floor(moment / milliseconds) * milliseconds
}

/**
 * One window of many, counted from 0; `undefined` after the last. Each begins where the one before ends. All are counted from
 * the same start: month by month from 31 January, the second would otherwise begin on the 28th of every month.
 */
export const windowAt = (whole: Window, number: number, { step }: Steps): Window | undefined => {
  if (whole.start === undefined || step === undefined) return number === 0 ? whole : undefined
  const duration = durationOf(step)
  const start = plus(whole.start, duration, number)
  if (start >= whole.end) return undefined
  return { start, end: Math.min(plus(whole.start, duration, number + 1), whole.end) }
}
