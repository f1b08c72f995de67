import type { Json } from '#lib/extractor/tables/json-value.ts'

interface Verdict {
  isKept: boolean
  /** In a sentence. */
  why: string
}

/** What the second page says about a guess. `undefined`: there was none, since the guess needed no second request. */
export const judgePaging = (
  first: readonly Json[],
  second: readonly Json[] | { failure: string } | undefined,
): Verdict => {
  if (second === undefined)
    return { isKept: true, why: 'Not proven: by the first answer there is no second page.' }
  if ('failure' in second) return { isKept: false, why: `The second request failed: ${second.failure}` }
  if (second.length === 0)
    return { isKept: true, why: 'The second request brought no rows: the first page holds all of them.' }
  const known = new Set(first.map(item => JSON.stringify(item)))
  const shared = second.filter(item => known.has(JSON.stringify(item))).length
  if (shared === second.length)
    return {
      isKept: false,
      why: 'The second request brought the same rows, so the parameter changes nothing.',
    }
  const others = second.length - shared
  const overlap = shared === 0 ? '' : `, and ${shared} that the first page has too`
  return { isKept: true, why: `Proven by a second request: ${others} other rows${overlap}.` }
}
