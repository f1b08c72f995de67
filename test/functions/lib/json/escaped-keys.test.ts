import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '#lib/json/parse-json.ts'
import { scanNumbers } from '#lib/json/scan-numbers.ts'

/** Keys and texts of few letters, so that many come to the same place, which is never the first one of an object. */
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('\\', '"', '\n', '\\n') },
  fc
    .array(fc.constantFrom('\\', '"', 'n', '\n', 'u0041', 'a', ':', '\ud800', '\ue001', '0'), {
      maxLength: 3,
    })
    .map(letters => letters.join('')),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
  fc.constant('__proto__'),
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.uniqueArray(fc.tuple(text, tie('value')), { maxLength: 3, selector: ([key]) => key }).map(fields =>
      // As JSON.parse makes them: `__proto__` is a field like any other.
      [['first', 0] as const, ...fields].reduce<object>(
        (object, [key, field]) =>
          Object.defineProperty(object, key, {
            value: field,
            enumerable: true,
            writable: true,
            configurable: true,
          }),
        {},
      ),
    ),
  ),
}))

it('reads what was written, whatever was read before', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (written, indent) => {
      const json = JSON.stringify(written, undefined, indent)
      expect(JSON.stringify(parseJson(json), undefined, indent)).toBe(json)
    }),
    { numRuns: 3000 },
  )
})

it('reads keys that JSON.parse of Node 24 takes for others', () => {
  JSON.parse('{"a":0,"\\\\":1}')
  for (const json of ['{"a":0,"\\"":1}', '{"a":0,"\\n":1}', '{"a":0,"\\n":1,"\\\\n":2}'])
    expect(JSON.stringify(parseJson(json))).toBe(json)
})

it('reads a key with an escape that it need not have', () => {
  fc.assert(
    fc.property(value, written => {
      const json = JSON.stringify(written)
      expect(JSON.stringify(parseJson(json.replaceAll('\ue001', '\\ue001')))).toBe(json)
    }),
  )
})

describe('a key with an escape', () => {
  it.each([
    ['{"\\"":1}', true],
    ['{"a" :1,"b\\u0041" \n: 2}', true],
    ['{"a":"\\"b\\":","c":"\\\\"}', false],
    ['{"a":"\\\\","b":1}', false],
    ['["\\\\",":"]', false],
    ['{"a":1}', false],
  ])('is found in %s: %s', (json, isThere) => {
    expect(scanNumbers(Buffer.from(json)).hasEscapedKey).toBe(isThere)
    expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(JSON.parse(json)))
  })

  it.each(['{"\\q":1}', '{"a\\":1}', '\\', '"a" \\', '{"\\"":1', ''])(
    'is refused in what is no JSON: %s',
    json => {
      expect(() => parseJson(json)).toThrow(SyntaxError)
    },
  )

  it('is read in a document of any depth and of many escapes', () => {
    const depth = 100_000
    const deep = parseJson(`${'['.repeat(depth)}{"\\"":1}${']'.repeat(depth)}`)
    let inner: unknown = deep
    while (Array.isArray(inner)) inner = inner[0]
    expect(inner).toEqual({ '"': 1 })
    const long = '\\"'.repeat(1_000_000)
    expect(parseJson(`{"${long}":"${long}"}`)).toEqual({
      [JSON.parse(`"${long}"`)]: JSON.parse(`"${long}"`),
    })
  })
})
