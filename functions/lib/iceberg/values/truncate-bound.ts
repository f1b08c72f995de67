/** Iceberg's default of `write.metadata.metrics.default`: `truncate(16)`, in code points. */
const BOUND_LENGTH = 16

const LAST_CODE_POINT = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/** A code point takes at most two units, so that a long text is not taken apart. */
const firstPoints = (text: string): string[] => [...text.slice(0, 2 * BOUND_LENGTH)].slice(0, BOUND_LENGTH)

/** The first 16 code points: not greater than the text. */
export const truncateLower = (text: string): string => firstPoints(text).join('')

/**
 * At most 16 code points, not less than the text: a text that is cut has its last code point raised by one. When none
 * can be raised there is no such bound: `undefined`.
 */
export const truncateUpper = (text: string): string | undefined => {
  const kept = firstPoints(text)
  if (kept.join('').length === text.length) return text
  for (;;) {
    const last = kept.pop()?.codePointAt(0)
    if (last === undefined) return undefined
    if (last === LAST_CODE_POINT) continue
    // Half characters (surrogates) are no code points of a text.
    return kept.join('') + String.fromCodePoint(last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1)
  }
}
