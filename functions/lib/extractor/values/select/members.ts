import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { keysInOrder, rememberKeyOrder } from '#lib/json/key-order.ts'

type Entry = readonly [key: string, value: Json]

/** Members in the order of the text. */
export const entriesOf = (object: JsonObject): Entry[] =>
  keysInOrder(object).map(key => [key, object[key] as Json]) // its own keys

/** An object of these members, in this order also where JavaScript would move number-like keys to the front. */
const objectOf = (entries: readonly Entry[]): JsonObject => {
  const object = Object.fromEntries(entries)
  const keys = entries.map(([key]) => key)
  if (keys.some(key => /^\d/.test(key))) rememberKeyOrder(object, keys)
  return object
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
