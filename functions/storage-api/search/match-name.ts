/** How well a name fits a query: 0 is best. `undefined`: it does not. */
type MatchName = (found: { id: string; name: string }) => number | undefined

/**
 * Makes the match of a query: every word of it is in the name, in any order and letter case. Names equal to the query
 * come first, then those that begin with it. An id is found when it is the query, whole.
 */
export const matchName = (query: string): MatchName => {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter(Boolean)
  return ({ id, name: given }) => {
    const name = given.toLowerCase()
    if (name === wanted || id.toLowerCase() === wanted) return 0
    if (words.length === 0 || !words.every(word => name.includes(word))) return undefined
    return name.startsWith(wanted) ? 1 : 2
  }
}
