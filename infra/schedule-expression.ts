/**
 * Whether EventBridge Scheduler accepts an expression (its User Guide, "Schedule types") and the time zone exists, so that
 * a wrong schedule is refused before it is deployed. `functions/lib/schedules/schedule-expression.ts` works out when it is
 * due. A test runs both on the same examples.
 */
export const isSchedule = (expression: string, timezone: string): boolean => {
  const [, kind, argument = ''] = /^(rate|cron|at)\((.*)\)$/.exec(expression.trim()) ?? []
  if (kind === 'rate') return /^0*[1-9]\d* (minute|hour|day)s?$/.test(argument)
  if (kind === 'cron') return isCron(argument) && isTimezone(timezone)
  return kind === 'at' && isMoment(argument) && isTimezone(timezone)
}

const isCron = (argument: string): boolean => {
  const given = argument.trim().split(/\s+/)
  const [, , dayOfMonth, , dayOfWeek] = given
  const saysOneDay = dayOfMonth === '?' || dayOfWeek === '?'
  return given.length === fields.length && saysOneDay && given.every((text, index) => fields[index]?.(text))
}

interface FieldValues {
  low: number
  high: number
  /** Names of the values, beginning with `low`. */
  names?: readonly string[]
  /** Whether `5/15` may be written, from the fifth on; not with a name, and not where the runtime cannot read it. */
  stepsFromOne?: boolean
  /** What the field accepts besides values, ranges and steps. */
  others?: RegExp
}

/** A list of `*`, values and ranges, each with an optional step. */
const field = ({ low, high, names = [], stepsFromOne = true, others }: FieldValues) => {
  const numberOf = (text: string): number => {
    const named = names.indexOf(text.toUpperCase())
    return named >= 0 ? low + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  }
  const isItem = (item: string): boolean => {
    if (others?.test(item)) return true
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(item) ?? []
    const isStep = step === undefined || (Number(step) >= 1 && Number(step) <= high - low + 1)
    if (range === '*') return isStep
    const [first = '', last = first, ...more] = range.split('-')
    const isStepFromOne = step !== undefined && first === last
    if (isStepFromOne && !(stepsFromOne && /^\d/.test(first))) return false
    const isRange = low <= numberOf(first) && numberOf(first) <= numberOf(last) && numberOf(last) <= high
    return isStep && isRange && more.length === 0
  }
  return (text: string): boolean => text.split(',').every(isItem)
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** Minutes, hours, day of month, month, day of week, year. */
const fields = [
  field({ low: 0, high: 59 }),
  field({ low: 0, high: 23 }),
  field({ low: 1, high: 31, others: /^(\?|L|([1-9]|[12]\d|3[01])W)$/ }),
  field({ low: 1, high: 12, names: months }),
  field({ low: 1, high: 7, names: weekdays, stepsFromOne: false, others: /^(\?|[1-7]L|[1-7]#[1-5])$/ }),
  field({ low: 1970, high: 2199, stepsFromOne: false }),
]

const isMoment = (text: string): boolean => {
  const moment = new Date(`${text}.000Z`)
  // Date would move a day that the month does not have into the next month.
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === `${text}.000Z`
}

const isTimezone = (timezone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    return true
  } catch {
    return false
  }
}
