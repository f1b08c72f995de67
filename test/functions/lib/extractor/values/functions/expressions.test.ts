import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate } from '#lib/extractor/values/functions/evaluate.ts'
import { parseExpression } from '#lib/extractor/values/functions/expression/parse-expression.ts'
import { printExpression } from '#lib/onboarding/import/print-expression.ts'

const contexts = {
  attr: { a: 'x', '#key': 's3cret', n: 5, none: null, list: ['p', 'q'], deep: { b: [1, { c: 'last' }] } },
  row: { id: 7, tags: [], at: '2026-03-01T10:20:30.5Z', name: 'Ann', ok: false },
}
const now = Date.UTC(2026, 2, 1, 10, 20, 30) / 1000
const work = (expr: string) => evaluate({ expr }, contexts, { now })

/** What Jinja and the functions that connectors have give. */
const cases: [expr: string, value: unknown][] = [
  ["'a'", 'a'],
  ['attr.a', 'x'],
  ["attr['#key']", 's3cret'],
  ['attr.deep.b[-1].c', 'last'],
  ['attr.missing.deeper', null],
  ["attr.missing or 'd'", 'd'],
  ["attr.none | default('d')", 'd'],
  ["attr.get('n', 1)", 5],
  ["attr.get('m', 1)", 1],
  ["'' | default('d', true)", 'd'],
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ["'a' ~ 1 ~ true", 'a1True'],
  ["'yes' if row.id > 5 and not row.ok else 'no'", 'yes'],
  ["row.name in ['Ann', 'Bob']", true],
  ["'z' not in 'xyz'", false],
  ['row.tags | length == 0', true],
  ['row.tags | length != 0', false],
  ["row.name != 'Bob' or row.id != row.id", true],
  ["([{'rel': 'self'}, {'rel': 'next', 'href': '/2'}] | selectattr('rel', '==', 'next') | first).href", '/2'],
  ["([{'rel': 'self'}] | selectattr('rel', '==', 'next') | first).href", null],
  ["[{'a': 1}, {'a': 0}, {'a': 2}] | selectattr('a') | map(attribute='a') | list", [1, 2]],
  ["[{'a': 1}, {'a': 2}] | selectattr('a', 'in', [2, 3]) | map(attribute='a') | first", 2],
  ['row.nothing is defined', false],
  ['row.name is not none', true],
  ["' A b ' | trim | lower | replace(' ', '-')", 'a-b'],
  ["attr.list | join(',')", 'p,q'],
  ["','.join(attr.list)", 'p,q'],
  ["'a;b'.split(';')[1]", 'b'],
  ["'007' | int", 7],
  ["now_utc().strftime('%Y-%m-%dT%H:%M:%SZ')", '2026-03-01T10:20:30Z'],
  ["(now_utc() - duration('P1M')).strftime('%Y-%m-%d')", '2026-02-01'],
  ["format_datetime(row.at, '%Y-%m-%d %H:%M:%S.%f%z')", '2026-03-01 10:20:30.500000+0000'],
  ["format_datetime('20260301', '%s', '%Y%m%d')", '1772323200'],
  ["timestamp('2026-03-01T00:00:00Z')", 1_772_323_200],
  ["day_delta(-1, '%Y-%m-%d')", '2026-02-28'],
  ['(today_utc() - timedelta(days=1)).isoformat()', '2026-02-28T00:00:00+00:00'],
  ["max(row.at, '2026-04')", '2026-04'],
  ["'a' | md5", '0cc175b9c0f1b6a831c399e269772661'],
  ["hash('a', 'sha1')", '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  ["('u:' ~ attr['#key']) | base64encode", 'dTpzM2NyZXQ='],
  ["'a b/c' | urlencode", 'a%20b/c'],
  ['{"a": [1, none]}', { a: [1, null] }],
]

describe('an expression', () => {
  it.each(cases)('%s', (expr, value) => {
    expect(work(expr)).toEqual(value)
    const tree = parseExpression(expr)
    expect(parseExpression(printExpression(tree))).toEqual(tree)
  })

  it.each([
    ['a +', 'cannot be read'],
    ['{% for x in y %}', 'cannot be read'],
    ['other.a', 'there is no "other" here'],
    ["lowr('a')", 'did you mean "lower"'],
    ['1 / 0', 'division by zero'],
    ["'a' < 1", 'cannot be put in order'],
    ["duration('P1D')", 'a length of time is no value'],
    [`'${'x'.repeat(4000)}'`, 'more than 4000 characters'],
    [`'a' ${'| replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")'.repeat(60)}`, 'characters of text'],
  ])('%s is refused', (expr, why) => {
    expect(() => work(expr)).toThrow(why)
  })

  it('ends with a value or a sentence, whatever its text', () => {
    const word = fc.constantFrom(
      'a',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '|',
      '.',
      ',',
      "'x'",
      '1',
      'or',
      'if',
      'else',
      'not',
      '-',
      'in',
      'is',
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), words => {
        try {
          work(words.join(' '))
        } catch (error) {
          expect(error).toHaveProperty('code', 'extractor.functions.expression')
        }
      }),
    )
  })
})
