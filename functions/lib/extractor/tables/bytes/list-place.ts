import type { Json } from '../json-value.ts'
import { parseJson } from '../parse-json.ts'
import { CLOSE_OBJECT, COLON, type JsonReader, misfit, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-reader.ts'

/** Private use: stands for the list in what is left of a document. */
const MARK = '\ue002'

/**
 * Moves to a list of a document: the one that the keys of `path` lead to, or without them the document itself or the first list in it.
 * Returns the keys that lead there.
 */
export const moveToList = (reader: JsonReader, path: readonly string[] | undefined): readonly string[] => {
  reader.at = 0
  if (path === undefined) {
    if (reader.next() === OPEN_LIST) return []
    return [moveToField(reader, undefined)]
  }
  for (const key of path) moveToField(reader, key)
  if (reader.next() !== OPEN_LIST) throw misfit
  return path
}

/** @param wanted the key; without one the first field with a list */
const moveToField = (reader: JsonReader, wanted: string | undefined): string => {
  reader.expect(OPEN_OBJECT)
  for (;;) {
    if (reader.next() !== QUOTE) throw misfit
    reader.text()
    const key = reader.lastText()
    reader.expect(COLON)
    const first = reader.next()
    if (wanted === undefined ? first === OPEN_LIST : key === wanted) return key
    reader.skip()
    if (!reader.hasMore(CLOSE_OBJECT)) throw misfit
  }
}

/** A document with an empty list in the place of the one from `start` to `end`, which has to be the one that the keys lead to. */
export const restOf = (body: Uint8Array, start: number, end: number, path: readonly string[]): Json => {
  const rest = parseJson(
    Buffer.concat([body.subarray(0, start), Buffer.from(`["${MARK}"]`), body.subarray(end)]),
  )
  let found: Json | undefined = rest
  for (const key of path)
    found = typeof found === 'object' && found !== null ? (found as Record<string, Json>)[key] : undefined
  // A later field of the same name takes the place of one before
  if (!Array.isArray(found) || found.length !== 1 || found[0] !== MARK) throw misfit
  found.length = 0
  return rest
}
