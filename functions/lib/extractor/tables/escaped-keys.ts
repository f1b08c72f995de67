import { JsonNumber } from '../php/json-number.ts'
import type { Json } from './json-value.ts'

/** Private use: begins a name that stands for a key. */
const MARK = '\ue001'

const textAndColon = /"((?:[^"\\]|\\.)*)"(\s*:)?/g

interface PlainKeys {
  /** The document with a name without escapes in the place of each key that has one. */
  plain: string
  /** The key that each of these names stands for. */
  names: ReadonlyMap<string, string>
}

/**
 * Takes escapes out of the keys of a document. `JSON.parse` of Node 24 can take a key with an escape for another one that has a backslash
 * and came before at the same place: after `{"\\\\":1}` it reads `{"\\n":1}` as `{"\\\\":1}`. Without escapes in keys it cannot.
 *
 * @throws SyntaxError for an escape that JSON does not have
 */
export const hideEscapedKeys = (json: string): PlainKeys => {
  let mark = MARK
  while (json.includes(mark)) mark += MARK
  const names = new Map<string, string>()
  const nameByKey = new Map<string, string>()
  const plain = json.replace(textAndColon, (found: string, escaped: string, colon: string | undefined) => {
    if (colon === undefined || !escaped.includes('\\')) return found
    const key = JSON.parse(`"${escaped}"`) as string // a text in quotes
    const usual = JSON.stringify(key)
    if (!usual.includes('\\')) return `${usual}${colon}`
    const name = nameByKey.get(key) ?? `${mark}${names.size}`
    nameByKey.set(key, name)
    names.set(name, key)
    return `"${name}"${colon}`
  })
  return { plain, names }
}

/** Puts keys in the place of the names that stand for them, in the value itself. */
export const restoreKeys = (value: Json, names: PlainKeys['names']): Json => {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  const fields = Object.entries(value)
  for (const [, field] of fields) restoreKeys(field, names)
  if (Array.isArray(value) || !fields.some(([name]) => names.has(name))) return value
  for (const [name] of fields) delete value[name]
  // An assignment to `__proto__` would be none of a field.
  for (const [name, field] of fields)
    Object.defineProperty(value, names.get(name) ?? name, {
      value: field,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  return value
}
