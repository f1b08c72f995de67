import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber } from '#lib/json/json-number.ts'
import { decodeBody, parseJson } from '#lib/json/parse-json.ts'

describe('numbers', () => {
  it.each([
    '12345678901234567890',
    '9007199254740993',
    '1.50',
    '1.0',
    '1e5',
    '1E+2',
    '-0',
    '-0.0',
    '0.00000012',
    '0.1000',
    '1.23456789012345678',
  ])('%s keeps its text', text => {
    for (const json of [text, `[${text}]`, `{"a": ${text} }`, `[1,\n${text}]`, ` ${text}`]) {
      expect(JSON.stringify(parseJson(json))).toBe(json.replace(/\s/g, ''))
    }
  })
  it.each(['0', '-1', '1.5', '123456789012345', '0.001', '-12.25'])('%s is a plain number', text => {
    expect(parseJson(`[${text}]`)).toEqual([Number(text)])
  })
  it.each([
    '["[1.50, 1e5"]',
    '[1.50,"[1.50, 1e5"]',
    '["a\\\\",1.50,"b\\",1.50,"]',
    '[1.50,"\ue0001.50"]',
    '[1.50,"\\ue0001.50"]',
    '{"at":"10:20.500","price":1.50,"__proto__":2.50}',
  ])('inside of texts stay texts: %s', json => {
    expect(JSON.parse(JSON.stringify(parseJson(json)))).toEqual(JSON.parse(json))
    expect(JSON.stringify(parseJson(json))).toContain('1.50')
  })
  it.each(['[01.50]', '[1.50,,]', '{1.50:1}', '[1..50]', '["a,1.50,]', '[1.50'])('%s is refused', json => {
    expect(() => parseJson(json)).toThrow(SyntaxError)
    expect(() => parseJson(json)).not.toThrow('\ue000')
  })
  it('behave like their value in arithmetic and their text in templates', () => {
    const number = new JsonNumber('1.50')
    expect([Number(number) + 1, `${number}`, JSON.stringify({ number })]).toEqual([
      2.5,
      '1.50',
      '{"number":1.50}',
    ])
  })
})

it('text of any numbers survives parsing and writing', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), digits)), numbers => {
      const json = `[${numbers.map(([isNegative, text]) => (isNegative ? `-${text}` : text)).join(',')}]`
      expect(JSON.stringify(parseJson(json))).toBe(json)
    }),
  )
})

it.each([
  ['{"\\\\":1}', '{"\\n":1}'],
  ['{"q":0,"\\\\":1}', '{"q":0,"\\"":1}'],
  ['{"z":0,"\\\\n":1}', '{"z":0,"\\nb":1.50}'],
])('a key of %s is not taken for one of %s, as JSON.parse of Node 24 does', (first, second) => {
  expect(JSON.stringify(parseJson(first))).toBe(first)
  expect(JSON.stringify(parseJson(second))).toBe(second)
})

it.each([
  ['{"\\u0061":1,"a":2,"\\u0061":3}', '{"a":3}'],
  ['{"\\"":1,"__proto__":{"\\n":2},"10":3,"\\u0022":4}', '{"\\"":4,"__proto__":{"\\n":2},"10":3}'],
  ['{"\ue0010":1,"\\n":2}', '{"\ue0010":1,"\\n":2}'],
  ['["\\n:", {"\\t" : "\\t"}]', '["\\n:",{"\\t":"\\t"}]'],
])('keys with escapes are the fields that they name: %s', (json, expected) => {
  expect(JSON.stringify(parseJson(json))).toBe(expected)
})

it('an escape in a key that JSON does not have is refused as JSON.parse does', () => {
  expect(() => parseJson('{"\\q":1}')).toThrow(SyntaxError)
})

it('numbers in any document keep their text, and only those that a double changes', () => {
  const number = fc.stringMatching(/^-?(0|[1-9]\d{0,17})(\.\d{1,18})?([eE][+-]?\d{1,2})?$/)
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    number,
    fc.constantFrom('"', '\\', '\\"', '1.50', '[1.50,'),
  )
  interface Document {
    json: string
    value: unknown
  }
  const { document } = fc.letrec<{ document: Document }>(tie => ({
    document: fc.oneof(
      { depthSize: 'small' },
      number.map(json => ({ json, value: `${Number(json)}` === json ? Number(json) : `number ${json}` })),
      text.map(value => ({ json: JSON.stringify(value), value })),
      fc.array(tie('document')).map(items => ({
        json: `[ ${items.map(({ json }) => json).join(' ,\n')}]`,
        value: items.map(({ value }) => value),
      })),
      fc.uniqueArray(fc.tuple(text, tie('document')), { selector: ([key]) => key }).map(fields => ({
        json: `{${fields.map(([key, { json }]) => `${JSON.stringify(key)} :\t${json}`).join(',')}}`,
        value: Object.fromEntries(fields.map(([key, { value }]) => [key, value])),
      })),
    ),
  }))
  const plain = (value: unknown): unknown => {
    if (value instanceof JsonNumber) return `number ${value.text}`
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]))
  }
  fc.assert(
    fc.property(document, ({ json, value }) => {
      expect(plain(parseJson(json))).toEqual(value)
      expect(plain(parseJson(Buffer.from(json)))).toEqual(value)
    }),
  )
})

it('keys keep the order of the text, numbers among them', () => {
  const value = parseJson('{"b":1,"10":{"z":0,"3":1},"2":[{"x":1,"0":2}],"b":4}') as never
  expect(JSON.stringify(value)).toBe('{"b":4,"10":{"z":0,"3":1},"2":[{"x":1,"0":2}]}')
  expect(Object.keys(value)).toEqual(['b', '10', '2'])
})

it('any JSON parses to what JSON.parse gives, beside numbers that need care', () => {
  fc.assert(
    fc.property(fc.json(), json => {
      expect(JSON.parse(JSON.stringify(parseJson(json)))).toEqual(JSON.parse(json))
      const pair = `[1.50,${json} , -0]`
      expect(JSON.parse(JSON.stringify(parseJson(pair)))).toEqual(JSON.parse(pair))
    }),
  )
})

it('what has a mistake is refused, wherever a number needs care', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('1.50', ',', '"', '[', '}', '\\'), (json, at, extra) => {
      const position = at % (json.length + 1)
      const text = `[1.50,${json.slice(0, position)}${extra}${json.slice(position)}]`
      const isJson = (() => {
        try {
          JSON.parse(text)
          return true
        } catch {
          return false
        }
      })()
      if (isJson) expect(JSON.parse(JSON.stringify(parseJson(text)))).toEqual(JSON.parse(text))
      else expect(() => parseJson(text)).toThrow(SyntaxError)
    }),
  )
})

describe('bodies', () => {
  it.each<[string, number[] | string, string]>([
    ['bytes that are no UTF-8 are dropped', [0x22, 0xff, 0x61, 0xc3, 0x22], '"a"'],
    ['a replacement character that was sent stays', [0x22, 0xef, 0xbf, 0xbd, 0xff, 0x22], '"\ufffd"'],
    ['half of a surrogate pair is dropped', '"a\\ud800b\\udc00"', '"ab"'],
    ['a whole pair stays', '"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['a backslash before it is no escape', '"\\\\ud800"', '"\\\\ud800"'],
  ])('%s', (_name, body, text) => expect(decodeBody(Buffer.from(body as string))).toBe(text))
})

it('what is no JSON is refused', () => expect(() => parseJson('{"a":')).toThrow(SyntaxError))

it('the order of keys beside a very long value is kept', () => {
  const json = `{"b":"${'\\"'.repeat(8_000_000)}","10":2}`
  expect(Object.keys(parseJson(json) as never)).toEqual(['b', '10'])
})
