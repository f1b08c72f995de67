import { parse } from 'yaml'
import { UserError } from '#lib/errors/errors.ts'
import type { JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

/** Of the largest documents that are met, a few times as much. Each value costs the parser about a kilobyte. */
interface ForeignLimits {
  characters: number
  /** Lines, and lists, objects and values within one. */
  values: number
}

const MANIFEST: ForeignLimits = { characters: 1024 ** 2, values: 100_000 }

/** Lists and objects in each other. */
const MAX_DEPTH = 100

/**
 * A JSON or YAML document of somebody else.
 *
 * @param what as a sentence begins with it
 * @throws UserError `extractor.draft`
 */
export const readForeign = (text: string, what: string, limits = MANIFEST): JsonObject => {
  refuseHostile(text, what, limits)
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 1000 })
  } catch (cause) {
    throw new UserError('extractor.draft', `${what} is neither JSON nor YAML: ${String(cause)}`, { cause })
  }
  if (!isObject(document)) throw new UserError('extractor.draft', `${what} is no object.`)
  return document
}

const refuseHostile = (text: string, what: string, limits: ForeignLimits): void => {
  const refuseOver = (found: number, most: number, of: string): void => {
    if (found > most) throw new UserError('extractor.draft', `${what} has more than ${most} ${of}.`)
  }
  refuseOver(text.length, limits.characters, 'characters')
  let depth = 0
  let dashes = 0
  let values = 0
  // `- - -` opens a list in a list, too; those of a line end with it.
  for (const [sign] of text.matchAll(/[[\]{},\n]|- (?=- )/g)) {
    values++
    if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth = Math.max(0, depth - 1)
    dashes = sign === '\n' ? 0 : dashes + Number(sign === '- ')
    refuseOver(depth + dashes, MAX_DEPTH, 'lists and objects in each other')
  }
  refuseOver(values, limits.values, 'values')
}
