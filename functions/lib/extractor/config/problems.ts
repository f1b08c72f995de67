import * as z from 'zod'
import { isContainer, isObject, mapFields } from '../../json/json-value.ts'
import { objectOf } from '../../json/key-order.ts'
import { isEmpty } from '../values/php/php-values.ts'

type Path = readonly PropertyKey[]
type Problem = Pick<z.core.$ZodIssue, 'message' | 'path'>

/** What is wrong, in words: a key that is missing says what it is, and a value that may be of several kinds what its own kind lacks. */
export const sayProblems = (
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  input: unknown,
): Problem[] => issues.flatMap(issue => sayProblem(issue, schema, input))

const sayProblem = (issue: z.core.$ZodIssue, schema: z.core.$ZodType, input: unknown): Problem[] => {
  const { path, message } = issue
  // Schemas with a sentence of their own know more
  if (!message.startsWith('Invalid ')) return [issue]
  const key = path.at(-1)
  if (key !== undefined && (valueAt(input, path) ?? undefined) === undefined) {
    const meaning = meaningOf(schema, path, input)
    return [
      { path, message: `"${String(key)}" is missing${meaning === undefined ? '' : ` (${plain(meaning)})`}` },
    ]
  }
  if (issue.code !== 'invalid_union') return [issue]
  const ofItsKind = issue.errors.filter(errors => errors.every(error => error.path.length > 0))
  const [only, ...others] = ofItsKind
  return only === undefined || others.length > 0
    ? [issue]
    : only.flatMap(inner => sayProblem({ ...inner, path: [...path, ...inner.path] }, schema, input))
}

/** Its first sentence, within one. */
const plain = (meaning: string): string => {
  const [sentence = ''] = meaning.split(/[.;](?: |$)|, see /)
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => (isContainer(found) ? Reflect.get(found, key) : undefined), value)

/** What the reference says of the key at a path; of a union the kind that the input is of. */
const meaningOf = (schema: z.core.$ZodType, path: Path, input: unknown): string | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  if (def.type === 'pipe') return meaningOf(isStep(def.in) ? def.out : def.in, path, input)
  if (def.type === 'optional') return meaningOf(def.innerType, path, input)
  if (def.type === 'union')
    return def.options
      .filter(option => !isOtherKind(option, input))
      .map(option => meaningOf(option, path, input))
      .find(meaning => meaning !== undefined)
  if (key === undefined) return undefined
  const inside = isContainer(input) ? Reflect.get(input, key) : undefined
  if (def.type === 'array') return meaningOf(def.element, rest, inside)
  if (def.type === 'record') return meaningOf(def.valueType, rest, inside)
  const child = def.type === 'object' ? def.shape[String(key)] : undefined
  if (child === undefined) return undefined
  return rest.length > 0 ? meaningOf(child, rest, inside) : z.globalRegistry.get(child)?.description
}

const isStep = (schema: z.core.$ZodType): boolean => schema._zod.def.type === 'transform'

const isOtherKind = (schema: z.core.$ZodType, input: unknown): boolean =>
  schema instanceof z.ZodObject &&
  ['method', 'type'].some(key => {
    const kind: unknown = schema.shape[key]
    const given: unknown = isObject(input) ? input[key] : undefined
    return kind instanceof z.ZodLiteral && !kind.values.has(given as string) // of any type, it is not among them
  })

/** Switches that Generic Extractor casts to a boolean whatever they hold: the text `false` is true there. */
const switches = new Set([
  'includeParams',
  'paramIsQuery',
  'firstPageParams',
  'offsetFromJob',
  'reverse',
  'incrementalOutput',
  'relative',
])

/**
 * Options that Generic Extractor ignores when they are of the wrong kind; a name that could lead out of a folder is
 * refused.
 */
const ignorable = [
  /^(parameters\.)?api\.(retryConfig|name|pagination|authentication)$/,
  /^(parameters\.)?api\.http\.(headers|requiredHeaders|ignoreErrors|connectTimeout|requestTimeout)$/,
  /(^|\.)http(\.headers)?$/,
  /(^|\.)(debug|compatLevel|id|types)$/,
]

/**
 * Keys that begin with two underscores are notes of the configuration editor (`__NAME`, `__NODE_ID`): no misspelling. The kinds that a
 * value may be of are looked through too.
 */
export const dropEditorKeys = (input: unknown, issue: z.core.$ZodIssue): unknown => {
  if (issue.code === 'invalid_union')
    return issue.errors
      .flat()
      .map(inner => ({ ...inner, path: [...issue.path, ...inner.path] }))
      .reduce(dropEditorKeys, input)
  if (issue.code !== 'unrecognized_keys') return input
  const notes = new Set(issue.keys.filter(key => key.startsWith('__')))
  return notes.size === 0 ? input : changeAt(input, issue.path, found => omit(found, notes))
}

/**
 * What Generic Extractor would make of an input with this problem, in compat mode: unknown keys go, switches are
 * cast, options of the wrong kind are left aside. The input itself when the problem would stop Generic Extractor too.
 */
export const repair = (input: unknown, issue: z.core.$ZodIssue): unknown => {
  if (issue.code === 'unrecognized_keys')
    return changeAt(input, issue.path, found => omit(found, new Set(issue.keys)))
  const last = String(issue.path.at(-1))
  if (switches.has(last)) return changeAt(input, issue.path, found => !isEmpty(found))
  const lacksKind = ['method', 'type'].includes(last) && valueAt(input, issue.path) === undefined
  const path = lacksKind ? issue.path.slice(0, -1) : issue.path
  const where = path.join('.')
  // A pagination or authentication that does not say of which kind it is does nothing
  const isIgnored =
    issue.code === 'custom'
      ? false
      : lacksKind
        ? /(^|\.)api\.(pagination|authentication)$/.test(where)
        : ignorable.some(rule => rule.test(where)) && !isUnknownKind(valueAt(input, path))
  if (!isIgnored) return input
  const key = String(path.at(-1))
  return changeAt(input, path.slice(0, -1), found => omit(found, new Set([key])))
}

/** An object of an unknown kind stops Generic Extractor too. */
const isUnknownKind = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('method' in value || 'type' in value)

const changeAt = (
  value: unknown,
  path: readonly PropertyKey[],
  change: (value: unknown) => unknown,
): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? changeAt(item, rest, change) : item))
  if (!isContainer(value)) return value
  return mapFields(value, (item, name) => (name === key ? changeAt(item, rest, change) : item))
}

const omit = (value: unknown, keys: ReadonlySet<string>): unknown =>
  isContainer(value) ? objectOf(Object.entries(value).filter(([key]) => !keys.has(key))) : value
