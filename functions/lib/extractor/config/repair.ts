import type * as z from 'zod'
import { isContainer, mapFields } from '../../json/json-value.ts'
import { objectOf } from '../../json/key-order.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { goneAt, goneSentence } from './gone-keys.ts'

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
  if (issue.code === 'unrecognized_keys') {
    const place = String(issue.path.at(-1))
    const here = Object.hasOwn(goneAt, place) ? goneAt[place as keyof typeof goneAt] : {} // one of its keys
    const keys = new Set(issue.keys.filter(key => goneSentence(key, here) === undefined))
    if (keys.size === 0) return input
    return changeAt(input, issue.path, found => omit(found, keys))
  }
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

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )

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
