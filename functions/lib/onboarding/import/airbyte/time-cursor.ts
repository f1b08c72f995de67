import type { Expression } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import { parseExpression } from '#lib/extractor/values/functions/expression/parse-expression.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { TimeCursor } from '../imported-source.ts'
import { type RequestOption, requestOption } from './options.ts'
import { expressionOf, type PartitionField, type Scope } from './values.ts'

const ISO = '%Y-%m-%dT%H:%M:%SZ'

/** Letters of `strftime` as those of our function `date`. */
const letters: Readonly<Record<string, string>> = {
  Y: 'Y',
  m: 'm',
  d: 'd',
  H: 'H',
  M: 'i',
  S: 's',
  y: 'y',
  z: 'O',
  j: 'z',
}

export const timeCursorOf = (
  given: Json | undefined,
  path: string,
  scope: Scope,
): { cursor: TimeCursor; options: [from?: RequestOption, until?: RequestOption] } | undefined => {
  if (!isObject(given)) return undefined
  const { report } = scope
  if (given['type'] !== 'DatetimeBasedCursor') {
    report.lost(path, `a cursor of the type ${String(given['type'])}: all rows are read in each run`)
    return undefined
  }
  report.unread(given, path, [
    ...[
      'type',
      'cursor_field',
      'start_datetime',
      'end_datetime',
      'datetime_format',
      'cursor_datetime_formats',
      'cursor_granularity',
    ],
    ...['step', 'lookback_window', 'start_time_option', 'end_time_option', 'is_client_side_incremental'],
    ...['partition_field_start', 'partition_field_end'],
  ])
  const cursor = expressionOf(given['cursor_field'] ?? '', `${path}.cursor_field`, scope)
  if (typeof cursor !== 'string' || cursor === '') return undefined
  const text = (key: string): string | undefined => {
    const value = given[key] === undefined ? undefined : expressionOf(given[key], `${path}.${key}`, scope)
    if (isObject(value)) report.lost(`${path}.${key}`, 'a setting without a value: give it with --settings')
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [from, until] = (['start', 'end'] as const).map(end =>
    optionOf(given[`${end}_time_option`], `${path}.${end}_time_option`, scope),
  )
  const read: TimeCursor = {
    cursor,
    isTime: true,
    isByRows: given['is_client_side_incremental'] === true,
    param: from?.name,
    until: until?.name,
    start: momentOf(given['start_datetime'], `${path}.start_datetime`, scope),
    end: momentOf(given['end_datetime'], `${path}.end_datetime`, scope),
    step: text('step'),
    lookback: text('lookback_window'),
    granularity: text('cursor_granularity'),
    format: formatOf(String(given['datetime_format'] ?? ''), `${path}.datetime_format`, scope),
  }
  return { cursor: read, options: [from, until] }
}

/** What a request calls the ends of a window. Without windows it is asked from the start until now, in each run. */
export const windowFields = (
  given: Json | undefined,
  time: TimeCursor | undefined,
  hasWindows: boolean,
): [string, PartitionField][] => {
  if (!isObject(given) || time?.start === undefined) return []
  const whole = hasWindows ? undefined : wholeWindow(given, time.start)
  return (['start', 'end'] as const).map(end => [
    String(given[`partition_field_${end}`] ?? `${end}_time`),
    whole === undefined ? { window: end } : { made: whole[end] },
  ])
}

const wholeWindow = (given: JsonObject, start: Json): Record<'start' | 'end', Expression> => {
  const format: Expression = {
    kind: 'value',
    value: String(given['datetime_format'] ?? ISO),
  }
  const from: Expression = isObject(start)
    ? parseExpression('attr' in start ? `attr[${JSON.stringify(start['attr'])}]` : String(start['expr']))
    : { kind: 'value', value: start }
  const now: Expression = { kind: 'call', name: 'now_utc', args: [], named: {} }
  const written = (of: Expression): Expression => ({
    kind: 'call',
    name: 'format_datetime',
    args: [of, format],
    named: {},
  })
  return { start: written(from), end: written(now) }
}

const optionOf = (given: Json | undefined, path: string, scope: Scope): RequestOption | undefined => {
  const option = requestOption(given, path, scope)
  if (option === undefined || option.place === 'query' || option.place === 'json' || option.place === 'form')
    return option
  scope.report.lost(path, `a time in ${option.place} is not sent`, 'asks')
  return undefined
}

const momentOf = (given: Json | undefined, path: string, scope: Scope): Json | undefined => {
  if (given === undefined || given === null) return undefined
  const moment: Json = isObject(given) ? (given['datetime'] ?? '') : given
  if (isObject(given) && (given['min_datetime'] ?? given['max_datetime']) !== undefined)
    scope.report.lost(path, 'the bounds of the time')
  // A count of microseconds is no moment here: the same moment is written as a text
  const text = typeof moment === 'string' ? moment.replaceAll('%epoch_microseconds', ISO) : moment
  const read = expressionOf(text, path, scope, 'rows') ?? undefined
  // Reading ends now in any case
  return isObject(read) &&
    /^(now|today)_utc\(\)(\.(strftime|isoformat)\([^()]*\))?$/.test(String(read['expr']))
    ? undefined
    : read
}

const formatOf = (format: string, path: string, { report }: Scope): string | undefined => {
  if (format === '' || format === ISO) return undefined
  if (format === '%Y-%m-%d') return 'date'
  if (format === '%s') return 'seconds'
  if (format === '%ms') return 'milliseconds'
  if (format === '%s_as_float') return 'U.\\0'
  if (format === '%epoch_microseconds') return 'U\\0\\0\\0\\0\\0\\0'
  let isKnown = true
  // Moments of windows have no parts of a second
  const written = format
    .replaceAll('%f', '\\0\\0\\0\\0\\0\\0')
    .replaceAll('%_ms', '\\0\\0\\0')
    .replace(/\\.|%(-?\w)|[A-Za-z]/g, (found, letter?: string) => {
      if (found.startsWith('\\')) return found
      const ours = letter === undefined ? `\\${found}` : letters[letter]
      isKnown &&= ours !== undefined
      return ours ?? ''
    })
  if (isKnown) return written
  report.lost(path, `the format ${format}: times are sent as ISO 8601`)
  return undefined
}

/** Keys of a stream as a list; a key of parts in lists is that of their paths. */
export const keysOfStream = (
  given: Json | undefined,
  path: string,
  { report }: Pick<Scope, 'report'>,
): string[] => {
  const keys = [given].flat().map(key => (Array.isArray(key) ? key.map(String).join('.') : key))
  const names = keys.filter((key): key is string => typeof key === 'string' && key !== '')
  if (!names.some(name => name.includes('.'))) return names
  report.lost(path, 'a key inside of an object')
  return []
}
