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
  const rules = rulesOf(pattern, '', where).map(rule => [...rule])
  return event => {
    const leaves = leavesOf(event)
    return rules.some(fields => holds(fields, leaves, new Map()))
  }
}

/** By the path of a field: tests, one of which must hold. `$or` makes several rules. */
type Rule = ReadonlyMap<string, readonly Test[]>

/** Of one value that is no object and no list. */
interface Test {
  readonly fits: (value: unknown) => boolean
  /** Holds where the field has no value. */
  readonly isForNone?: boolean
}

const rulesOf = (pattern: unknown, path: string, where: string): Rule[] => {
  if (!isObject(pattern)) throw unsupported(where, 'a pattern is an object')
  return Object.entries(pattern)
    .map(([field, expected]) => alternativesOf(field, expected, { path, where: `${where}.${field}` }))
    .reduce<Rule[]>(
      (rules, more) => rules.flatMap(rule => more.map(other => merge(rule, other))),
      [new Map()],
    )
}

const alternativesOf = (
  field: string,
  expected: unknown,
  { path, where }: { path: string; where: string },
): Rule[] => {
  if (field === '$or') {
    if (!Array.isArray(expected)) throw unsupported(where, 'alternatives are a list')
    return expected.flatMap((item, index) => rulesOf(item, path, `${where}[${index}]`))
  }
  const inner = joined(path, field)
  return Array.isArray(expected)
    ? [new Map([[inner, expected.map(item => compileTest(item, where))]])]
    : rulesOf(expected, inner, where)
}

/** Of two lists of tests for one field, inside and outside of `$or`, AWS's matcher (event-ruler) takes the later. */
const merge = (one: Rule, other: Rule): Rule => new Map([...one, ...other])

const joined = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`)

/** A value, and which object of each list it belongs to. */
interface Leaf {
  readonly value: unknown
  readonly items: ReadonlyMap<string, number>
}

/** The values by their paths. Objects and lists themselves are none; a name with a dot is as good as two names. */
const leavesOf = (event: unknown): ReadonlyMap<string, readonly Leaf[]> => {
  const leaves = new Map<string, Leaf[]>()
  const walk = (value: unknown, path: string, items: Leaf['items']): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        walk(item, path, isObject(item) ? new Map([...items, [path, index]]) : items)
    else if (isObject(value))
      for (const [field, inner] of Object.entries(value)) walk(inner, joined(path, field), items)
    else leaves.set(path, [...(leaves.get(path) ?? []), { value, items }])
  }
  walk(event, '', new Map())
  return leaves
}

/** Whether each field has a value that fits. Values from a list of objects are of one of them. */
const holds = (
  [field, ...others]: [string, readonly Test[]][],
  leaves: ReturnType<typeof leavesOf>,
  chosen: Leaf['items'],
): boolean => {
  if (field === undefined) return true
  const [path, tests] = field
  const found = leaves.get(path)
  if (!found) return tests.some(({ isForNone }) => isForNone) && holds(others, leaves, chosen)
  return found.some(
    ({ value, items }) =>
      [...items].every(([list, index]) => (chosen.get(list) ?? index) === index) &&
      tests.some(({ fits }) => fits(value)) &&
      holds(others, leaves, new Map([...chosen, ...items])),
  )
}

const compileTest = (expected: unknown, where: string): Test => {
  if (!isObject(expected)) {
    const isScalar = expected === null || ['string', 'number', 'boolean'].includes(typeof expected)
    if (!isScalar) throw unsupported(where, `${JSON.stringify(expected)} is not a value`)
    return { fits: value => value === expected }
  }
  const [[operator, argument] = [], ...others] = Object.entries(expected)
  const compile = operator === undefined || others.length > 0 ? undefined : operators[operator]
  if (!compile) throw unsupported(where, `the operator ${Object.keys(expected).join(', ')} is not known`)
  return compile(argument, where)
}

const operators: Readonly<Record<string, (argument: unknown, where: string) => Test>> = {
  exists: (argument, where) => {
    if (typeof argument !== 'boolean') throw unsupported(where, 'exists takes true or false')
    return { fits: () => argument, isForNone: !argument }
  },
  'anything-but': (argument, where) => {
    if (isObject(argument)) {
      const { fits } = compileTest(argument, where)
      return { fits: value => !fits(value) }
    }
    const refused: readonly unknown[] = Array.isArray(argument) ? argument : [argument]
    return { fits: value => !refused.includes(value) }
  },
  numeric: (argument, where) => {
    const comparisons = numericComparisons(argument, where)
    return { fits: value => typeof value === 'number' && comparisons.every(compare => compare(value)) }
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
    return { fits: value => typeof value === 'string' && fits(value, argument) }
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
