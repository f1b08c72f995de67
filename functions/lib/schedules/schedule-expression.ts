import { Cron } from 'croner'
import { UserError } from '../errors/errors.ts'

/** The moments at which a schedule is due. */
export interface DueTimes {
  /** The first one after this; nothing when it is over. */
  after(time: Date): Date | undefined
  /** The last one up to this; nothing before it began. */
  upTo(time: Date): Date | undefined
}

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/**
 * Reads a schedule expression (EventBridge Scheduler User Guide, "Schedule types"): `rate(5 minutes)`,
 * `cron(minutes hours day-of-month month day-of-week year)`, `at(2027-01-01T08:00:00)`; or a line of cron, minutes first, as
 * configurations of the scheduler have it: `0 6 * * 1-5`.
 *
 * A rate is counted from the Unix epoch rather than from the schedule's creation, so that it survives restarts.
 * Throws `UserError` `schedule.invalid`.
 */
export const readSchedule = (expression: string, timezone: string): DueTimes => {
  const [, kind, argument = ''] = /^(rate|cron|at)\((.*)\)$/.exec(expression.trim()) ?? []
  if (kind === 'rate') return everyPeriod(argument)
  if (kind === 'cron') return fromPattern(cronPattern(argument), timezone)
  if (kind === 'at' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(argument))
    return fromPattern(argument, timezone)
  if (kind === undefined && expression.trim().split(/\s+/).length === 5)
    return fromPattern(expression.trim(), timezone)
  throw invalid(
    `the schedule "${expression}" cannot be read; write rate(5 minutes), cron(0 6 * * ? *), at(2027-01-01T08:00:00) or five fields, such as 0 6 * * 1-5`,
  )
}

const everyPeriod = (argument: string): DueTimes => {
  const [, count = '0', unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(argument) ?? []
  const periodMs = Number(count) * (unitMs[unit as keyof typeof unitMs] ?? 0) // An unknown unit counts as none.
  if (periodMs === 0)
    throw invalid(`rate(${argument}) cannot be read; write rate(5 minutes), in minutes, hours or days`)
  const at = (time: Date, more: number) => new Date((Math.floor(time.getTime() / periodMs) + more) * periodMs)
  return { after: time => at(time, 1), upTo: time => at(time, 0) }
}

const fromPattern = (pattern: string, timezone: string): DueTimes => {
  try {
    const cron = new Cron(pattern, { timezone, paused: true })
    cron.nextRun(new Date(0)) // A time zone that does not exist shows itself only now.
    return {
      after: time => cron.nextRun(time) ?? undefined,
      // Those before it are searched.
      upTo: time => cron.previousRuns(1, new Date(time.getTime() + 1))[0],
    }
  } catch (error) {
    throw invalid(`the schedule ${pattern} in ${timezone} cannot be read: ${String(error)}`)
  }
}

/** Seconds in front; `?` is any; days of the week count from 0 and not from 1. */
const cronPattern = (argument: string): string => {
  const fields = argument.trim().split(/\s+/)
  if (fields.length !== 6)
    throw invalid(`cron(${argument}) does not have six fields, such as cron(0 6 * * ? *)`)
  const [minutes, hours, dayOfMonth = '', month, dayOfWeek = '', year] = fields
  if (dayOfMonth !== '?' && dayOfWeek !== '?')
    throw invalid(`cron(${argument}): one of day-of-month and day-of-week must be ?`)
  const weekday = dayOfWeek.replaceAll(/(?<![#/\d])[1-7](?!\d)/g, day => String(Number(day) - 1))
  const plain = [minutes, hours, any(dayOfMonth), month].map((field = '', index) =>
    withRange(field, lasts[index]),
  )
  return ['0', ...plain, any(weekday), year].join(' ')
}

/** The greatest minute, hour, day and month. */
const lasts = [59, 23, 31, 12]

/** `5/15` means from 5 on, which the library writes `5-59/15`. */
const withRange = (field: string, last = 0) => field.replaceAll(/(?<![\d-])(\d+)\//g, `$1-${last}/`)

const any = (field: string) => (field === '?' ? '*' : field)

const invalid = (message: string) => new UserError('schedule.invalid', message)
