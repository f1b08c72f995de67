import { createHash } from 'node:crypto'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { TextBudget } from '../../php/text-budget.ts'
import { plus } from '../duration.ts'
import { Moment, Span, spanOf, strftime, toMoment } from './moment-value.ts'
import { failed, isTrue, numberOf, textOf, type Worked } from './worked-value.ts'

export interface CallContext {
  now: number
  budget: TextBudget
}

type ExpressionFunction = (
  args: readonly Worked[],
  named: Readonly<Record<string, Worked>>,
  context: CallContext,
) => Worked

const DAY_MS = 86_400_000

/**
 * Functions of expressions by name; `x | f(a)` and `x.f(a)` are `f(x, a)`. Their names are those of Jinja, of Python's texts, and of
 * connectors.
 */
export const expressionFunctions: Readonly<Record<string, ExpressionFunction>> = {
  default: ([value = null, other = '', anyFalse = false], named) =>
    value === null || (isTrue(named['boolean'] ?? anyFalse) && !isTrue(value)) ? other : value,
  get: ([of = null, key = null, other = null]) => {
    const found = isObject(of) ? (Object.hasOwn(of, textOf(key)) ? (of[textOf(key)] ?? null) : other) : other
    return found
  },
  length: ([value = null]) =>
    typeof value === 'string' || Array.isArray(value)
      ? value.length
      : isObject(value)
        ? Object.keys(value).length
        : 0,
  count: (args, named, context) => call('length', args, named, context),
  string: ([value = null]) => textOf(value),
  str: ([value = null]) => textOf(value),
  int: ([value = null, other = 0]) => {
    const number = Number(typeof value === 'string' && value.trim() === '' ? Number.NaN : (value as Json))
    return Number.isNaN(number) || value === null ? other : Math.trunc(number)
  },
  float: ([value = null, other = 0]) => {
    const number = Number(typeof value === 'string' && value.trim() === '' ? Number.NaN : (value as Json))
    return Number.isNaN(number) || value === null ? other : number
  },
  round: ([value = 0, digits = 0]) =>
    Math.round(numberOf(value) * 10 ** numberOf(digits)) / 10 ** numberOf(digits),
  abs: ([value = 0]) => Math.abs(numberOf(value)),
  lower: ([value = '']) => textOf(value).toLowerCase(),
  upper: ([value = '']) => textOf(value).toUpperCase(),
  trim: ([value = '']) => textOf(value).trim(),
  strip: ([value = '', letters]) => stripped(textOf(value), letters),
  capitalize: ([value = '']) => textOf(value).charAt(0).toUpperCase() + textOf(value).slice(1).toLowerCase(),
  replace: ([value = '', from = '', to = ''], _, { budget }) => {
    const [text, before, after] = [textOf(value), textOf(from), textOf(to)]
    budget.check(text.length * Math.max(1, after.length))
    return text.replaceAll(before, () => after)
  },
  split: ([value = '', by = null]) =>
    by === null
      ? textOf(value)
          .split(/\s+/)
          .filter(part => part !== '')
      : textOf(value).split(textOf(by)),
  join: ([first = [], second = ''], _, { budget }) => {
    // `list | join(',')`, and `','.join(list)`
    const [list, glue] = Array.isArray(first) ? [first, second] : [second, first]
    const texts = (Array.isArray(list) ? list : []).map(item => textOf(item))
    budget.check(texts.reduce((sum, text) => sum + text.length + textOf(glue).length, 0))
    return texts.join(textOf(glue))
  },
  startswith: ([value = '', start = '']) => textOf(value).startsWith(textOf(start)),
  endswith: ([value = '', end = '']) => textOf(value).endsWith(textOf(end)),
  first: ([list = null]) => itemOf(list, 0),
  last: ([list = null]) => itemOf(list, -1),
  max: args => best(args, (a, b) => a > b),
  min: args => best(args, (a, b) => a < b),
  list: ([value = null]) =>
    Array.isArray(value)
      ? value
      : isObject(value)
        ? Object.keys(value)
        : typeof value === 'string'
          ? [...value]
          : [],
  map: ([list = null], named) =>
    Array.isArray(list) ? list.map(one => memberOf(one, named['attribute'])) : [],
  selectattr: ([list = null, name, test = null, wanted = null]) =>
    (Array.isArray(list) ? list : []).filter(one => passes(memberOf(one, name), test, wanted)),
  keys: ([value = null]) => (isObject(value) ? Object.keys(value) : []),
  values: ([value = null]) => (isObject(value) ? Object.values(value) : []),
  tojson: ([value = null]) => JSON.stringify(value),
  string_to_list: ([value = null]) => (Array.isArray(value) ? value : JSON.parse(textOf(value))),
  urlencode: ([value = '']) => encodeURIComponent(textOf(value)).replaceAll('%2F', '/'),
  base64encode: ([value = '']) => Buffer.from(textOf(value)).toString('base64'),
  base64binascii_decode: ([value = '']) => Buffer.from(textOf(value), 'base64').toString(),
  base64decode: ([value = '']) => Buffer.from(textOf(value), 'base64').toString(),
  md5: ([value = '']) => createHash('md5').update(textOf(value)).digest('hex'),
  hash: ([value = '', kind = 'md5', salt = '']) => {
    const name = textOf(kind).toLowerCase()
    if (!['md5', 'sha1', 'sha256', 'sha512'].includes(name)) throw failed(`the hash "${name}" is not known`)
    return createHash(name)
      .update(textOf(value) + textOf(salt))
      .digest('hex')
  },
  sanitize_url: ([value = '']) =>
    textOf(value).replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g, letter => encodeURIComponent(letter)),
  now_utc: (_args, _named, { now }) => new Moment(now * 1000),
  today_utc: (_args, _named, { now }) => new Moment(Math.floor((now * 1000) / DAY_MS) * DAY_MS, true),
  today_with_timezone: (_args, _named, { now }) =>
    new Moment(Math.floor((now * 1000) / DAY_MS) * DAY_MS, true),
  timestamp: ([value = null]) => {
    const seconds = momentOf(value).ms / 1000
    return value instanceof Moment ? seconds : Math.floor(seconds)
  },
  str_to_datetime: ([value = null]) => momentOf(value),
  date: ([value = null]) =>
    value instanceof Moment ? new Moment(Math.floor(value.ms / DAY_MS) * DAY_MS, true) : momentOf(value),
  isoformat: ([value = null]) => momentOf(value).toString().replace(' ', 'T'),
  strftime: ([value = null, format = '']) => strftime(momentOf(value), textOf(format)),
  format_datetime: ([value = null, format = '', given], named) =>
    strftime(momentOf(value, given ?? named['input_format']), textOf(named['format'] ?? format)),
  duration: ([text = '']) => {
    const span = spanOf(textOf(text))
    if (span === undefined) throw failed(`"${textOf(text)}" is no duration such as P7D`)
    return span
  },
  timedelta: (_args, named) =>
    new Span({
      months: 0,
      milliseconds:
        DAY_MS * (amount(named, 'days') + 7 * amount(named, 'weeks')) +
        3_600_000 * amount(named, 'hours') +
        60_000 * amount(named, 'minutes') +
        1_000 * amount(named, 'seconds'),
    }),
  day_delta: ([days = 0, format = '%Y-%m-%dT%H:%M:%S.%f%z'], named, { now }) =>
    strftime(
      new Moment(plus(now * 1000, { months: 0, milliseconds: DAY_MS * numberOf(days) })),
      textOf(named['format'] ?? format),
    ),
  'is defined': ([value = null]) => value !== null,
  'is undefined': ([value = null]) => value === null,
  'is none': ([value = null]) => value === null,
  'is string': ([value = null]) => typeof value === 'string',
  'is number': ([value = null]) => typeof value === 'number' || value instanceof JsonNumber,
  'is integer': ([value = null]) => Number.isInteger(value),
  'is boolean': ([value = null]) => typeof value === 'boolean',
  'is mapping': ([value = null]) => isObject(value),
  'is iterable': ([value = null]) => Array.isArray(value) || isObject(value) || typeof value === 'string',
  'is true': ([value = null]) => value === true,
  'is false': ([value = null]) => value === false,
}

const call = (name: string, ...rest: Parameters<ExpressionFunction>): Worked =>
  (expressionFunctions[name] as ExpressionFunction)(...rest) // a name of the table

/** Whether what it gives depends on the moment. */
export const readsClock = (name: string): boolean =>
  /^(now_utc|today_utc|today_with_timezone|day_delta)$/.test(name)

const itemOf = (list: Worked, position: number): Worked =>
  Array.isArray(list) ? (list.at(position) ?? null) : null

const memberOf = (of: Json, name: Worked | undefined): Json =>
  isObject(of) && Object.hasOwn(of, textOf(name ?? '')) ? (of[textOf(name ?? '')] ?? null) : null

const passes = (value: Json, test: Worked, wanted: Worked): boolean => {
  const isSame = (other: Worked) => textOf(value) === textOf(other)
  switch (test) {
    case null:
      return isTrue(value)
    case '==':
    case 'eq':
    case 'equalto':
      return isSame(wanted)
    case '!=':
    case 'ne':
      return !isSame(wanted)
    case 'in':
      return Array.isArray(wanted) && wanted.some(isSame)
    case 'defined':
      return value !== null
  }
  throw failed(`the test "${textOf(test)}" of selectattr is not known`)
}

const best = (args: readonly Worked[], wins: (a: number | string, b: number | string) => boolean): Worked => {
  const [only] = args
  const all = args.length === 1 && Array.isArray(only) ? only : args
  const orderOf = (value: Worked) =>
    value instanceof Moment ? value.ms : typeof value === 'string' ? value : numberOf(value)
  return all.reduce<Worked>(
    (found, value) => (found === null || wins(orderOf(value), orderOf(found)) ? value : found),
    null,
  )
}

const amount = (named: Readonly<Record<string, Worked>>, unit: string): number => numberOf(named[unit] ?? 0)

const stripped = (text: string, letters: Worked | undefined): string => {
  if (letters === undefined || letters === null) return text.trim()
  const all = new Set(textOf(letters))
  let [start, end] = [0, text.length]
  while (start < end && all.has(text.charAt(start))) start++
  while (end > start && all.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

const momentOf = (value: Worked, format?: Worked): Moment => {
  const moment = toMoment(
    value instanceof JsonNumber ? String(value) : value,
    format === undefined || format === null ? undefined : textOf(format),
  )
  if (moment === undefined) throw failed(`${textOf(value).slice(0, 60)} is no time`)
  return moment
}
