/**
 * The known key that a misspelt one was probably meant to be: equal but for case and separators, or at most two
 * edits away (one for short keys). `undefined` when none is close.
 */
export const didYouMean = (given: string, known: readonly string[]): string | undefined => {
  const plain = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '')
  const alike = known.find(key => key !== given && plain(key) === plain(given) && plain(key) !== '')
  if (alike !== undefined) return alike
  const allowed = given.length < 5 ? 1 : 2
  const ranked = known
    .map(key => ({ key, distance: editDistance(given.toLowerCase(), key.toLowerCase()) }))
    .filter(({ key, distance }) => distance > 0 && distance <= allowed && distance < key.length / 2)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.key
}

/** Optimal string alignment distance: inserts, deletes, replacements and swaps of neighbours. */
const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
