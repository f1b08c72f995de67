import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { keysInOrder, rememberKeyOrder } from '#lib/json/key-order.ts'

/** One step of a path: a key, and whether what it holds is a list whose elements are all meant (`list[]`). */
interface PathStep {
  key: string
  isList: boolean
}

export type RowPath = readonly PathStep[]

/** The steps of `a.b` or `list[].x`; `undefined` for what is no path of a field. */
export const rowPath = (text: string): RowPath | undefined => {
  const steps = text.split('.').map(step => {
    const isList = step.endsWith('[]')
    return { key: isList ? step.slice(0, -2) : step, isList }
  })
  const isPath = steps.every(({ key }) => key !== '') && steps.at(-1)?.isList === false
  return isPath ? steps : undefined
}

/** As `rowPath`, for paths that the schema has read. */
export const readPath = (text: string): RowPath => {
  const path = rowPath(text)
  if (path === undefined) throw new Error(`"${text}" was let through without being a path`)
  return path
}

export type Entry = readonly [key: string, value: Json]

/** Members in the order of the text. */
export const entriesOf = (object: JsonObject): Entry[] =>
  keysInOrder(object).map(key => [key, object[key] as Json]) // its own keys

/** An object of these members, in this order also where JavaScript would move number-like keys to the front. */
export const objectOf = (entries: readonly Entry[]): JsonObject => {
  const object = Object.fromEntries(entries)
  const keys = entries.map(([key]) => key)
  if (keys.some(key => /^\d/.test(key))) rememberKeyOrder(object, keys)
  return object
}

/**
 * The row with the objects changed that hold the last key of the path. What is not there, or no object, stays as it is. A single
 * object counts as a list of one.
 */
export const changeHolders = (
  value: Json,
  path: RowPath,
  change: (holder: JsonObject, key: string) => JsonObject,
): Json => {
  const [step, ...rest] = path
  if (step === undefined || !isObject(value)) return value
  if (rest.length === 0) return change(value, step.key)
  if (!Object.hasOwn(value, step.key)) return value
  const inner = value[step.key] ?? null
  const changed =
    step.isList && Array.isArray(inner)
      ? inner.map(element => changeHolders(element, rest, change))
      : changeHolders(inner, rest, change)
  return changed === inner ? value : withMember(value, step.key, changed)
}

/** The object with a member replaced in its place, or added at the end. */
export const withMember = (object: JsonObject, key: string, value: Json): JsonObject => {
  const entries = entriesOf(object)
  return objectOf(
    Object.hasOwn(object, key)
      ? entries.map(entry => (entry[0] === key ? [key, value] : entry))
      : [...entries, [key, value]],
  )
}

export const withoutMember = (object: JsonObject, key: string): JsonObject =>
  Object.hasOwn(object, key) ? objectOf(entriesOf(object).filter(([name]) => name !== key)) : object

/** Sets a value, making the objects on the way. To be asked for only where nothing `isBlocked`. */
export const setAt = (object: JsonObject, path: RowPath, value: Json): JsonObject => {
  const [step, ...rest] = path
  if (step === undefined) return object
  if (rest.length === 0) return withMember(object, step.key, value)
  const inner = Object.hasOwn(object, step.key) ? object[step.key] : undefined
  return withMember(object, step.key, setAt(isObject(inner) ? inner : {}, rest, value))
}

/** The value at a path without lists, and whether there is one: a null is. */
export const findAt = (row: Json, path: RowPath): { value: Json } | undefined => {
  let value = row
  for (const { key } of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key] ?? null
  }
  return { value }
}

/** Whether a value on the way is no object, so that setting what is below it would lose that value. */
export const isBlocked = (row: JsonObject, path: RowPath): boolean =>
  path.slice(0, -1).some((_, index) => {
    const found = findAt(row, path.slice(0, index + 1))
    return found !== undefined && found.value !== null && !isObject(found.value)
  })
