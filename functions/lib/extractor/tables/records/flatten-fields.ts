import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { orderedJson } from '#lib/json/ordered-json.ts'
import { changeHolders, type Entry, entriesOf, objectOf, readPath } from '../../values/select/row-path.ts'
import { nameTaken } from './record-error.ts'

interface FlattenOptions {
  path?: string | undefined
  separator?: string | undefined
  /** Levels that come up; deeper objects become JSON text. Default: all. */
  depth?: number | undefined
}

/**
 * The members of objects as fields of what holds them, in the place of the object. Lists and empty objects stay.
 *
 * ```
 * {"path": "at", "separator": "-"}    {"at": {"city": "Brno", "geo": {"lat": 49}}}    {"at-city": "Brno", "at-geo-lat": 49}
 * ```
 *
 * @throws UserError `extractor.records.nameTaken`
 */
export const flattenFields = (given: string | FlattenOptions): ((row: JsonObject) => JsonObject) => {
  const {
    path,
    separator = '_',
    depth = Number.POSITIVE_INFINITY,
  } = typeof given === 'string' ? { path: given } : given

  function* dissolved(name: string, value: Json, level: number): Generator<Entry> {
    if (!isObject(value) || Object.keys(value).length === 0) {
      yield [name, value]
      return
    }
    if (level >= depth) {
      yield [name, orderedJson(value)]
      return
    }
    for (const [key, inner] of entriesOf(value))
      yield* dissolved(`${name}${separator}${key}`, inner, level + 1)
  }

  const flattened = (holder: JsonObject, isMeant: (key: string) => boolean): JsonObject => {
    const members = new Map<string, Json>()
    for (const [key, value] of entriesOf(holder)) {
      for (const [name, leaf] of isMeant(key) ? dissolved(key, value, 0) : [[key, value] as const]) {
        if (members.has(name)) throw nameTaken('flatten', name)
        members.set(name, leaf)
      }
    }
    return objectOf([...members])
  }

  if (path === undefined) return row => flattened(row, () => true)
  const steps = readPath(path)
  return row =>
    changeHolders(row, steps, (holder, key) =>
      isObject(holder[key]) ? flattened(holder, other => other === key) : holder,
    ) as JsonObject // an object stays one
}
