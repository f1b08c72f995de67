/** Private use: begins a name that stands for a key. */
const MARK = '\ue001'

interface Place {
  /** Of its first quote. */
  start: number
  /** After its last quote. */
  end: number
}

interface PlainKeys {
  /** The document with a name without escapes in the place of each key that has one. */
  plain: string
  /** The key that each of these names stands for. */
  names: ReadonlyMap<string, string>
}

/**
 * Takes escapes out of the keys of a document. `JSON.parse` of Node 24 takes a key with an escape for another one that has a
 * backslash and came before at the same place: after `{"a":0,"\\":1}` it reads the second key of `{"a":0,"\n":1}` as a
 * backslash. Without escapes in keys it cannot.
 *
 * @throws SyntaxError for an escape that JSON does not have
 */
export const hideEscapedKeys = (json: string): PlainKeys => {
  let mark = MARK
  while (json.includes(mark)) mark += MARK
  const names = new Map<string, string>()
  const nameByKey = new Map<string, string>()
  let plain = ''
  let copied = 0
  for (const { start, end } of escapedKeys(json)) {
    const key = JSON.parse(json.slice(start, end)) as string // a text in quotes
    const usual = JSON.stringify(key)
    plain += json.slice(copied, start)
    copied = end
    if (!usual.includes('\\') && !key.startsWith(MARK)) {
      plain += usual
      continue
    }
    const name = nameByKey.get(key) ?? `${mark}${names.size}`
    nameByKey.set(key, name)
    names.set(name, key)
    plain += `"${name}"`
  }
  return { plain: plain + json.slice(copied), names }
}

/** Puts keys in the place of the names that stand for them, in the value itself, however deep it is. */
export const restoreKeys = <Value>(value: Value, names: PlainKeys['names']): Value => {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const object = waiting.pop()
    if (typeof object !== 'object' || object === null) continue
    const fields = Object.entries(object)
    for (const [, field] of fields) if (typeof field === 'object') waiting.push(field)
    if (Array.isArray(object) || !fields.some(([name]) => names.has(name))) continue
    for (const [name] of fields) Reflect.deleteProperty(object, name)
    // An assignment to `__proto__` would be none of a field.
    for (const [name, field] of fields)
      Object.defineProperty(object, names.get(name) ?? name, {
        value: field,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return value
}

/** The texts of a document that hold an escape and are keys. In JSON a backslash is always in a text. */
function* escapedKeys(json: string): Generator<Place> {
  let backslash = json.indexOf('\\')
  while (backslash !== -1) {
    const start = json.lastIndexOf('"', backslash)
    const end = endOfText(json, backslash)
    if (start === -1 || end === -1) return
    if (isBeforeColon(json, end)) yield { start, end }
    backslash = json.indexOf('\\', end)
  }
}

/** After the quote that ends the text with this backslash, its first. -1: there is none. */
const endOfText = (json: string, backslash: number): number => {
  let quote = json.indexOf('"', backslash)
  // What a backslash escapes ends no text, be it a quote or another backslash.
  for (let slash = backslash; slash !== -1 && slash < quote; ) {
    const next = slash + 2
    if (quote < next) quote = json.indexOf('"', next)
    slash = json.indexOf('\\', next)
  }
  return quote === -1 ? -1 : quote + 1
}

const isBeforeColon = (json: string, end: number): boolean => {
  spaceAndColon.lastIndex = end
  return spaceAndColon.test(json)
}

const spaceAndColon = /\s*:/y
