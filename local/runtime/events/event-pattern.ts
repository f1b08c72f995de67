import { isObject } from '#lib/json/json-value.ts'
import { unsupported } from '../template/unsupported.ts'

/** Whether an event matches a rule's pattern. */
export type EventMatcher = (event: unknown) => boolean

/**
 * Reads an event pattern (EventBridge User Guide, "Event patterns").
 *
 * Known: exact values, `prefix`, `anything-but` with values, `exists`, and nesting: what the rules of the stack use. Any other
 * operator is refused by name.
 */
export const compilePattern = (pattern: unknown, where = 'EventPattern'): EventMatcher => {
  const rule = [...ruleOf(pattern, '', where)]
  return event => holds(rule, leavesOf(event), new Map())
}

/** Tests by the path of a field, one of which must hold. */
type Rule = ReadonlyMap<string, readonly Test[]>

/** Of one value that is no object and no list. */
interface Test {
  readonly fits: (value: unknown) => boolean
  /** Holds where the field has no value. */
  readonly isForNone?: boolean
}

const ruleOf = (pattern: unknown, path: string, where: string): Rule => {
  if (!isObject(pattern)) throw unsupported(where, 'a pattern is an object')
  return new Map(
    Object.entries(pattern).flatMap(([field, expected]): [string, readonly Test[]][] => {
      const [inner, place] = [joined(path, field), `${where}.${field}`]
      if (field === '$or') throw unsupported(place, 'alternatives are not known')
      return Array.isArray(expected)
        ? [[inner, expected.map(item => compileTest(item, place))]]
        : [...ruleOf(expected, inner, place)]
    }),
  )
}

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
    if (isObject(argument)) throw unsupported(where, 'anything-but takes values')
    const refused: readonly unknown[] = Array.isArray(argument) ? argument : [argument]
    return { fits: value => !refused.includes(value) }
  },
  prefix: (argument, where) => {
    if (typeof argument !== 'string') throw unsupported(where, 'prefix takes a text')
    return { fits: value => typeof value === 'string' && value.startsWith(argument) }
  },
}
