import { z } from 'zod'
import { UserError } from '../errors/errors.ts'
import { strictObject } from '../extractor/config/strict-object.ts'
import { readSchedule } from './schedule-expression.ts'

const schedule = z.union([
  z.string().transform(expression => ({ expression })),
  strictObject({
    expression: z.string(),
    timezone: z.string().default('UTC'),
    /** Spreads runs of one moment over so many minutes. */
    flexibleMinutes: z.number().int().min(0).max(1440).default(0),
    overlap: z.enum(['skip', 'wait']).default('skip'),
    isEnabled: z.boolean().default(true),
  }),
])

export interface ConfigurationSchedule {
  overlap: 'skip' | 'wait'
  /** The last moment that was due after `since`, up to `until`. */
  lastDue(since: Date, until: Date): Date | undefined
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
  if (value === undefined || value === null) return undefined
  const parsed = schedule.safeParse(value)
  if (!parsed.success)
    throw new UserError('schedule.invalid', `"schedule" is not valid: ${z.prettifyError(parsed.error)}`)
  const { expression, timezone, flexibleMinutes, overlap, isEnabled } = { ...defaults, ...parsed.data }
  const nextTime = readSchedule(expression, timezone)
  if (!isEnabled) return undefined
  const delayMs = Math.floor(spread * flexibleMinutes) * 60_000
  const lastDue = (since: Date, until: Date): Date | undefined => {
    let last: Date | undefined
    for (let at = nextTime(earlier(since, delayMs)); at && at <= earlier(until, delayMs); at = nextTime(at))
      last = at
    return last
  }
  return { overlap, lastDue }
}

const defaults = { timezone: 'UTC', flexibleMinutes: 0, overlap: 'skip' as const, isEnabled: true }

const earlier = (date: Date, ms: number) => new Date(date.getTime() - ms)
