import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { TimeCursor } from '../imported-source.ts'
import { expressionOf, type PartitionField, type Scope } from './values.ts'

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
  f: 'u',
  j: 'z',
}

/** `incremental` for a cursor of a stream. */
export const timeCursorOf = (given: Json | undefined, path: string, scope: Scope): TimeCursor | undefined => {
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
    if (typeof value === 'object')
      report.lost(`${path}.${key}`, 'a setting without a value: give it with --settings')
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return {
    cursor,
    isTime: true,
    isByRows: given['is_client_side_incremental'] === true,
    param: optionOf(given['start_time_option'], `${path}.start_time_option`, scope),
    until: optionOf(given['end_time_option'], `${path}.end_time_option`, scope),
    start: momentOf(given['start_datetime'], `${path}.start_datetime`, scope),
    end: isNow(given['end_datetime'])
      ? undefined
      : momentOf(given['end_datetime'], `${path}.end_datetime`, scope),
    step: text('step'),
    lookback: text('lookback_window'),
    granularity: text('cursor_granularity'),
    format: formatOf(String(given['datetime_format'] ?? ''), `${path}.datetime_format`, scope),
  }
}

/** What a request calls the ends of a window. None where windows cannot be read. */
export const windowFields = (
  given: Json | undefined,
  time: TimeCursor | undefined,
  keys: readonly string[],
): [string, PartitionField][] => {
  if (!isObject(given) || time?.start === undefined || keys.length === 0) return []
  return [
    [String(given['partition_field_start'] ?? 'start_time'), { window: 'start' }],
    [String(given['partition_field_end'] ?? 'end_time'), { window: 'end' }],
  ]
}

const optionOf = (given: Json | undefined, path: string, { report }: Scope): string | undefined => {
  if (!isObject(given)) return undefined
  const place = String(given['inject_into'])
  const isInParams = ['request_parameter', 'body_json', 'body_data'].includes(place)
  if (isInParams && typeof given['field_name'] === 'string') return given['field_name']
  report.lost(path, isInParams ? 'a time inside of an object is not sent' : `a time in ${place} is not sent`)
  return undefined
}

const isNow = (given: Json | undefined): boolean => /now_utc\(|today_utc\(/.test(JSON.stringify(given ?? ''))

const momentOf = (given: Json | undefined, path: string, scope: Scope): Json | undefined => {
  if (given === undefined || given === null) return undefined
  const moment: Json = isObject(given) ? (given['datetime'] ?? '') : given
  if (isObject(given) && (given['min_datetime'] ?? given['max_datetime']) !== undefined)
    scope.report.lost(path, 'the bounds of the time')
  return expressionOf(moment, path, scope)
}

const formatOf = (format: string, path: string, { report }: Scope): string | undefined => {
  if (format === '' || /^%Y-%m-%dT%H:%M:%S(\.%f)?(Z|%z)?$/.test(format)) return undefined
  if (format === '%Y-%m-%d') return 'date'
  if (format === '%s') return 'seconds'
  if (format === '%ms') return 'milliseconds'
  let isKnown = true
  const written = format.replace(/%(-?\w)|[A-Za-z]/g, (found, letter?: string) => {
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

/** One body of the kinds that a requester has. */
export const bodyOf = (
  requester: JsonObject,
): { key: string; value: JsonObject; isForm: boolean } | undefined => {
  const body = isObject(requester['request_body']) ? requester['request_body'] : {}
  const value = body['value']
  if (isObject(value))
    return { key: 'request_body', value, isForm: body['type'] === 'RequestBodyUrlEncodedForm' }
  for (const key of ['request_body_json', 'request_body_data']) {
    const found = requester[key]
    if (isObject(found)) return { key, value: found, isForm: key === 'request_body_data' }
  }
  return undefined
}
