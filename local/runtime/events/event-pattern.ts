import { unsupported } from '../template/unsupported.ts'

/** Whether an event matches a rule's pattern. */
export type EventMatcher = (event: unknown) => boolean

/**
 * Reads an event pattern (EventBridge User Guide, "Event patterns").
 *
 * Known: exact values, `prefix`, `suffix`, `equals-ignore-case`, `anything-but` (values, or `prefix` / `suffix`),
 * `exists`, `numeric`, `wildcard`, `$or`, and nesting. Any other operator is refused by name.
 */
export const compilePattern = (pattern: unknown, where = 'EventPattern'): EventMatcher => {
  if (!isObject(pattern)) throw unsupported(where, 'a pattern is an object')
  const fields = Object.entries(pattern).map(([field, expected]) =>
    compileField(field, expected, `${where}.${field}`),
  )
  return event => fields.every(matches => matches(event))
}

const compileField = (field: string, expected: unknown, where: string): EventMatcher => {
  if (field === '$or') {
    if (!Array.isArray(expected)) throw unsupported(where, 'alternatives are a list')
    const alternatives = expected.map((item, index) => compilePattern(item, `${where}[${index}]`))
    return event => alternatives.some(matches => matches(event))
  }
  if (!Array.isArray(expected)) {
    const nested = compilePattern(expected, where)
    // A list of objects matches when one of them does.
    return event => valuesOf(isObject(event) ? event[field] : undefined).some(nested)
  }
  const tests = expected.map(item => compileTest(item, where))
  return event => {
    const value = isObject(event) ? event[field] : undefined
    return tests.some(test => test(value))
  }
}

/** The field's value may be a list: one matching item is enough. */
type Test = (value: unknown) => boolean

const compileTest = (expected: unknown, where: string): Test => {
  if (!isObject(expected)) {
    const isScalar = expected === null || ['string', 'number', 'boolean'].includes(typeof expected)
    if (!isScalar) throw unsupported(where, `${JSON.stringify(expected)} is not a value`)
    return value => valuesOf(value).some(item => item === expected)
  }
  const [[operator, argument] = [], ...others] = Object.entries(expected)
  const compile = operator === undefined || others.length > 0 ? undefined : operators[operator]
  if (!compile) throw unsupported(where, `the operator ${Object.keys(expected).join(', ')} is not known`)
  return compile(argument, where)
}

const operators: Readonly<Record<string, (argument: unknown, where: string) => Test>> = {
  exists: (argument, where) => {
    if (typeof argument !== 'boolean') throw unsupported(where, 'exists takes true or false')
    return value => (value !== undefined) === argument
  },
  'anything-but': (argument, where) => {
    if (isObject(argument)) {
      const test = compileTest(argument, where)
      return value => presentValuesOf(value).some(item => !test(item))
    }
    const refused = valuesOf(argument)
    return value => presentValuesOf(value).some(item => !refused.includes(item))
  },
  numeric: (argument, where) => {
    const comparisons = numericComparisons(argument, where)
    return value =>
      valuesOf(value).some(item => typeof item === 'number' && comparisons.every(compare => compare(item)))
  },
  prefix: textTest('prefix', (value, text) => value.startsWith(text)),
  suffix: textTest('suffix', (value, text) => value.endsWith(text)),
  'equals-ignore-case': textTest(
    'equals-ignore-case',
    (value, text) => value.toLowerCase() === text.toLowerCase(),
  ),
  wildcard: textTest('wildcard', (value, text) => wildcard(text).test(value)),
}

function textTest(name: string, fits: (value: string, text: string) => boolean) {
  return (argument: unknown, where: string): Test => {
    if (typeof argument !== 'string') throw unsupported(where, `${name} takes a text`)
    return value => valuesOf(value).some(item => typeof item === 'string' && fits(item, argument))
  }
}

const comparisonOf: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

const numericComparisons = (argument: unknown, where: string): ((value: number) => boolean)[] => {
  if (!Array.isArray(argument) || argument.length === 0 || argument.length % 2 !== 0)
    throw unsupported(where, 'numeric takes pairs of comparison and number')
  const pairs = Array.from({ length: argument.length / 2 }, (_, index) =>
    argument.slice(index * 2, index * 2 + 2),
  )
  return pairs.map(([name, bound]) => {
    const compare = comparisonOf[String(name)]
    if (!compare || typeof bound !== 'number')
      throw unsupported(where, `numeric ${String(name)} is not known`)
    return value => compare(value, bound)
  })
}

/** `*` matches any characters; a backslash escapes the next one. */
const wildcard = (text: string): RegExp => {
  const parts = text.replaceAll(/\\(.)|\*|[^\\*]+/gs, (part, escaped: string | undefined) =>
    part === '*' ? '.*' : RegExp.escape(escaped ?? part),
  )
  return new RegExp(`^${parts}$`, 's')
}

const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** A missing field matches no `anything-but`. */
const presentValuesOf = (value: unknown) => valuesOf(value).filter(item => item !== undefined)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
