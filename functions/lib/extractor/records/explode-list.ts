import type { Json, JsonObject } from '../tables/json-value.ts'
import { nameTaken } from './record-error.ts'
import { changeHolders, findAt, isBlocked, readPath, setAt, withoutMember } from './row-path.ts'

interface ExplodeOptions {
  path: string
  empty?: 'keep' | 'drop' | undefined
  index?: string | undefined
}

/**
 * A row for each element of a list, with the element in the place of the list and all other fields as they are, the key too.
 * One at a time: several long lists of a row give the product of their lengths. A single value counts as a list of one.
 *
 * ```
 * "sizes"    {"id": 1, "sizes": ["S", "M"]}    {"id": 1, "sizes": "S"}, {"id": 1, "sizes": "M"}
 * ```
 *
 * @throws UserError `extractor.records.nameTaken` for `index`
 */
export const explodeList = (given: string | ExplodeOptions): ((row: JsonObject) => Generator<JsonObject>) => {
  const { path, empty = 'keep', index }: ExplodeOptions = typeof given === 'string' ? { path: given } : given
  const steps = readPath(path)
  const position = index === undefined ? undefined : readPath(index)

  const numbered = (row: JsonObject, at: Json): JsonObject => {
    if (position === undefined) return row
    if (isBlocked(row, position) || findAt(row, position) !== undefined)
      throw nameTaken('explode', index ?? '')
    return setAt(row, position, at)
  }

  return function* (row) {
    const found = findAt(row, steps)
    const elements = found === undefined || found.value === null ? [] : [found.value].flat(1)
    if (elements.length > 0) {
      for (const [at, element] of elements.entries()) yield numbered(setAt(row, steps, element), at)
      return
    }
    // Without the list, which would be a column beside those of elements that are objects
    if (empty === 'keep') yield changeHolders(row, steps, withoutMember) as JsonObject // an object stays one
  }
}
