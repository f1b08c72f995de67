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
  const times = readSchedule(settings.expression, settings.timezone)
  const delayMs = Math.floor(spreadOf(of) * flexibleMinutes) * 60_000
  const lastDue = (since: Date, until: Date): Date | undefined => {
    const due = times.upTo(later(until, -delayMs))
    return due && later(due, delayMs) > since ? later(due, delayMs) : undefined
  }
  const nextDue = (after: Date, count: number): Date[] => {
    const due: Date[] = []
    for (let at = times.after(later(after, -delayMs)); at && due.length < count; at = times.after(at))
      due.push(later(at, delayMs))
    return due
  }
  return { ...settings, lastDue, nextDue }
}

/** From 0 up to 1, the same for the same name. */
const spreadOf = (of: string): number => Number.parseInt(hexDigest(of).slice(0, 8), 16) / 2 ** 32

const defaults = { timezone: 'UTC', flexibleMinutes: 0, overlap: 'skip' as const, isEnabled: true }

const later = (date: Date, ms: number) => new Date(date.getTime() + ms)
