import { UserError } from '#lib/errors/errors.ts'

/** A value is searched once for each part. Real patterns are far shorter. */
const MAX_LENGTH = 1_000

/**
 * Whether a value is like a pattern with `%` for any text without a line break; a line break at the value's end is
 * ignored. Each part between two `%` is taken where it comes first, never again: a regular expression would try all places of
 * all parts against each other, which takes minutes on a few hundred characters.
 *
 * @throws UserError `extractor.config.recursionFilter` for a pattern of more than 1,000 characters
 */
export const likePattern = (pattern: string): ((value: string) => boolean) => {
  if (pattern.length > MAX_LENGTH)
    throw new UserError(
      'extractor.config.recursionFilter',
      `Error creating a filter: a value to compare with has at most ${MAX_LENGTH} characters.`,
    )
  const [first = '', ...others] = pattern.split('%')
  const last = others.pop()
  return value => {
    const ends = value.endsWith('\n') ? [value.length, value.length - 1] : [value.length]
    if (!value.startsWith(first)) return false
    if (last === undefined) return ends.includes(first.length)
    let at = first.length
    for (const part of others) {
      const found = value.indexOf(part, at)
      if (found < 0 || hasLineBreak(value, at, found)) return false
      at = found + part.length
    }
    return ends.some(end => {
      const start = end - last.length
      return start >= at && value.startsWith(last, start) && !hasLineBreak(value, at, start)
    })
  }
}

const hasLineBreak = (value: string, from: number, to: number): boolean =>
  value.slice(from, to).includes('\n')
