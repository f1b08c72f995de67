import { z } from 'zod'
import { hexDigest } from '../digests.ts'
import { UserError } from '../errors/errors.ts'
import { strictObject } from '../extractor/config/fields.ts'
import { plainNumber } from '../json/json-value.ts'
import { lastBetween, readSchedule } from './schedule-expression.ts'

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
  overlap: 'skip' | 'wait'
  /** The last moment that was due after `since`, up to `until`. */
  lastDue(since: Date, until: Date): Date | undefined
  /** `lastDue`, for any `since`: it looks at the newest hour, then further back, a year at most. */
  lastDueSince(since: string, until: Date): string | null
  /** The next moments after `after`, in order; fewer when the schedule ends. */
  nextDue(after: Date, count: number): Date[]
}

interface ScheduleSettings {
  expression: string
  timezone: string
  flexibleMinutes: number
  overlap: 'skip' | 'wait'
  isEnabled: boolean
}

/**
 * The `schedule` property of a configuration: an expression, or an object with `expression`, `timezone`,
 * `flexibleMinutes`, `overlap` and `isEnabled`. `undefined` when there is none or it is switched off.
 *
 * `spread`, from 0 up to 1, places the configuration within its flexible window. Throws `UserError` `schedule.invalid`.
 */
export const readConfigurationSchedule = (
  value: unknown,
  spread: number,
): ConfigurationSchedule | undefined => {
  const settings = readScheduleSettings(value)
  if (settings === undefined) return undefined
  const { expression, timezone, flexibleMinutes, overlap, isEnabled } = settings
  const nextTime = readSchedule(expression, timezone)
  if (!isEnabled) return undefined
  const delayMs = Math.floor(spread * flexibleMinutes) * 60_000
  const lastDue = (since: Date, until: Date): Date | undefined =>
    lastBetween(nextTime, earlier(since, delayMs), earlier(until, delayMs))
  const nextDue = (after: Date, count: number): Date[] => {
    const due: Date[] = []
    let at = nextTime(earlier(after, delayMs))
    while (at && due.length < count) {
      due.push(earlier(at, -delayMs))
      at = nextTime(at)
    }
    return due
  }
  const lastDueSince = (time: string, until: Date): string | null => {
    const since = new Date(time)
    for (const hours of [1, 24, 32 * 24, 366 * 24]) {
      const from = earlier(until, hours * 3_600_000)
      const due = lastDue(from < since ? since : from, until)
      if (due !== undefined) return due.toISOString()
      if (from < since) return null
    }
    return null
  }
  return { overlap, lastDue, lastDueSince, nextDue }
}

/** A `schedule` property with all its defaults. `undefined` when there is none. Throws `UserError` `schedule.invalid`. */
export const readScheduleSettings = (value: unknown): ScheduleSettings | undefined => {
  if (value === undefined || value === null) return undefined
  const parsed = schedule.safeParse(value)
  if (!parsed.success)
    throw new UserError('schedule.invalid', `"schedule" is not valid:\n${z.prettifyError(parsed.error)}`)
  return { ...defaults, ...parsed.data }
}

/** For the names of its runs. @param of its configuration, or its own name in the stack */
export const scheduleIdOf = (of: string): string => hexDigest(of)

/** From 0 up to 1, the same for the same configuration: its place within its flexible window. */
export const spreadOf = (scheduleId: string): number => Number.parseInt(scheduleId.slice(0, 8), 16) / 2 ** 32

const defaults = { timezone: 'UTC', flexibleMinutes: 0, overlap: 'skip' as const, isEnabled: true }

const earlier = (date: Date, ms: number) => new Date(date.getTime() - ms)
