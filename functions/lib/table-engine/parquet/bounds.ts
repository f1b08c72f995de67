/** Iceberg truncates the bounds of a text to 16 characters (Iceberg Table Spec, "Manifests"). */
const BOUND_CHARACTERS = 16

/** By Unicode code points, as UTF-8 bytes and DuckDB order texts. JavaScript's own order differs beyond U+FFFF. */
export const compareText = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

export const shortenLower = (text: string): string => firstCharacters(text).join('')

/** The last character that can be raised is raised. Undefined when there is none. */
export const shortenUpper = (text: string): string | undefined => {
  const characters = firstCharacters(text)
  if (characters.join('').length === text.length) return text
  for (let last = characters.length - 1; last >= 0; last--) {
    const next = nextCharacter(characters[last] ?? '')
    if (next !== undefined) return [...characters.slice(0, last), next].join('')
  }
  return undefined
}

const firstCharacters = (text: string): string[] =>
  // A character takes at most two units.
  [...text.slice(0, 2 * BOUND_CHARACTERS)].slice(0, BOUND_CHARACTERS)

const LAST_CODE_POINT = 0x10ffff
const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

const nextCharacter = (character: string): string | undefined => {
  const code = (character.codePointAt(0) ?? LAST_CODE_POINT) + 1
  if (code > LAST_CODE_POINT) return undefined
  return String.fromCodePoint(code === FIRST_SURROGATE ? AFTER_SURROGATES : code)
}
