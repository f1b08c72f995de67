import { z } from 'zod'
import { hexDigest } from '../digests.ts'
import { UserError } from '../errors/errors.ts'
import { strictObject } from '../extractor/config/fields.ts'
import { plainNumber } from '../json/json-value.ts'
import { readSchedule } from './schedule-expression.ts'

const schedule = z.union([
  z.string().transform(expression => ({ expression })),
  strictObject({
    expression: z.string(),
    timezone: z.string().default('UTC'),
    /** Spreads runs of one moment over so many minutes. */
    flexibleMinutes: z.preprocess(plainNumber, z.number().int().min(0).max(1440).default(0)),
    overlap: z.enum(['skip', 'wait']).default('skip'),
    isEnabled: z.boolean().default(true),
  }),
])

export interface ConfigurationSchedule {
  expression: string
  timezone: string
  overlap: 'skip' | 'wait'
  isEnabled: boolean
  /** The last moment that was due after `since`, up to `until`. */
  lastDue(since: Date, until: Date): Date | undefined
  /** `lastDue`, for any `since`: it looks at the newest hour, then further back, a year at most. */
  lastDueSince(since: Date, until: Date): Date | undefined
  /** The next moments after `after`, in order; fewer when the schedule ends. */
  nextDue(after: Date, count: number): Date[]
}

/**
 * The `schedule` property of a configuration: an expression, or an object with `expression`, `timezone`,
 * `flexibleMinutes`, `overlap` and `isEnabled`. `undefined` when there is none.
 *
 * @param of what says it: that places it within its flexible window, each time at the same minute
 * @throws UserError `schedule.invalid`
 */
export const readConfigurationSchedule = (value: unknown, of: string): ConfigurationSchedule | undefined => {
  if (value === undefined || value === null) return undefined
  const parsed = schedule.safeParse(value)
  if (!parsed.success)
    throw new UserError('schedule.invalid', `"schedule" is not valid:\n${z.prettifyError(parsed.error)}`)
  const { flexibleMinutes, ...settings } = { ...defaults, ...parsed.data }
  const nextTime = readSchedule(settings.expression, settings.timezone)
  const delayMs = Math.floor(spreadOf(of) * flexibleMinutes) * 60_000
  const lastDue = (since: Date, until: Date): Date | undefined => {
    let last: Date | undefined
    const end = earlier(until, delayMs)
    for (let at = nextTime(earlier(since, delayMs)); at && at <= end; at = nextTime(at)) last = at
    return last && earlier(last, -delayMs)
  }
  const nextDue = (after: Date, count: number): Date[] => {
    const due: Date[] = []
    let at = nextTime(earlier(after, delayMs))
    while (at && due.length < count) {
      due.push(earlier(at, -delayMs))
      at = nextTime(at)
    }
    return due
  }
  const lastDueSince = (since: Date, until: Date): Date | undefined => {
    for (const hours of [1, 24, 32 * 24, 366 * 24]) {
      const from = earlier(until, hours * 3_600_000)
      const due = lastDue(from < since ? since : from, until)
      if (due !== undefined || from < since) return due
    }
    return undefined
  }
  return { ...settings, lastDue, lastDueSince, nextDue }
}

/** From 0 up to 1, the same for the same name. */
const spreadOf = (of: string): number => Number.parseInt(hexDigest(of).slice(0, 8), 16) / 2 ** 32

const defaults = { timezone: 'UTC', flexibleMinutes: 0, overlap: 'skip' as const, isEnabled: true }

const earlier = (date: Date, ms: number) => new Date(date.getTime() - ms)
