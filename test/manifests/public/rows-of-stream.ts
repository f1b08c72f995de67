import { Moment, strftime } from '#lib/extractor/values/functions/expression/moment-value.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { inner } from './streams-of.ts'

const DAY_MS = 86_400_000

/** Rows that have what the manifest reads of them. Their ids tell the request that they answer. */
export const rowsOfStream = (
  stream: JsonObject,
  keys: readonly string[],
  seen: string,
  count: number,
): JsonObject[] => {
  const text = JSON.stringify({ ...stream, schema_loader: null })
  const cursor = inner(stream, 'incremental_sync')
  const format = String(
    [cursor['cursor_datetime_formats'] ?? []].flat()[0] ?? cursor['datetime_format'] ?? '%Y-%m-%dT%H:%M:%SZ',
  )
  const fields = [
    ...text.matchAll(
      /\b(?:record|last_record)((?:\.(?!get\()\w+|\[\s*\\?['"]\w+\\?['"]\s*\]|\.get\(\s*\\?['"]\w+\\?['"][^)]*\))+)/g,
    ),
  ].map(([, path = '']) =>
    [...path.matchAll(/(?:\.|\[\s*\\?['"]|get\(\s*\\?['"])(\w+)/g)]
      .map(([, key = '']) => key)
      .filter(key => key !== 'get')
      .join('.'),
  )
  const wanted = new Set([...fields, ...keys])
  const primary = [stream['primary_key'] ?? 'id']
    .flat(2)
    .map(String)
    .filter(key => key !== '')
  return Array.from({ length: count }, (_, index) => {
    const row: JsonObject = {
      id: hash(seen) * 100 + index + 1,
      n: index + 1,
      kind: index % 2 === 0 ? 'odd' : 'even',
      nested: { k: index },
    }
    if (primary.some(key => /^_+id$/.test(key))) delete row['id']
    for (const path of wanted)
      put(
        row,
        path,
        /date|time|_at$|created|updated/i.test(path) ? day(index) : hash(`${path}${seen}`) * 100 + index,
      )
    for (const key of primary) put(row, key, hash(`${key}${seen}`) * 100 + index + 1)
    const field = cursor['cursor_field']
    if (typeof field === 'string' && !field.includes('{{')) put(row, field, timeOf(format, index))
    return row
  })
}

const day = (index: number): string =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - (index + 2) * DAY_MS).toISOString().replace('.000', '')

const timeOf = (format: string, index: number): Json => {
  const made = strftime(new Moment(Date.parse(day(index))), format)
  return /^%(ms|s)$/.test(format) ? Number(made) : made
}

const put = (row: JsonObject, path: string, value: Json): void => {
  const [first = '', ...others] = path.split('.')
  if (others.length === 0) {
    if (!isObject(row[first])) row[first] = value
    return
  }
  if (!isObject(row[first])) row[first] = {}
  put(row[first] as JsonObject, others.join('.'), value) // just made
}

/** Below a million. */
const hash = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 999_983, 7)
