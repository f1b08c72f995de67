/**
 * Whether `text` matches `pattern`, where `*` stands for any characters and `?` for exactly one.
 *
 * Not a regular expression: patterns come from outside, and `a*a*a*...` must not take for ever.
 */
export const matchesWildcards = (pattern: string, text: string): boolean => {
  let [at, star, retry] = [0, -1, 0]
  let p = 0
  while (at < text.length) {
    if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[at]) && pattern[p] !== '*') {
      p++
      at++
    } else if (pattern[p] === '*') {
      star = p++
      retry = at
    } else if (star !== -1) {
      p = star + 1
      at = ++retry
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
