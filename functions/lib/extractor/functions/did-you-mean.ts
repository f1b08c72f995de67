/** The one of `known` that `name` was probably meant to be: at most two edits away, or a third of its length. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Insertions, deletions, replacements (Levenshtein), with two neighbours swapped as one edit. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replace, at(last, j) + 1, at(current, j - 1) + 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) best = Math.min(best, at(beforeLast, j - 2) + 1)
      current.push(best)
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
