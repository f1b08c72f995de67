/** One of the byte sequences that make up an object, in order: a slice, or bytes that are in no store (a header). */
export interface Source {
  bytes: number
  /** Whether the same credentials may read it and write the object, so that S3 can copy by itself. */
  canCopy: boolean
}

/** A range of the object that S3 copies from one source; `end` is not included. */
export interface CopiedSpan {
  source: number
  start: number
  end: number
}

/** A source that S3 can copy, at least in part, with its place in the object. */
interface Candidate extends CopiedSpan {
  /** This many bytes at its head may pass through a function while the rest can still be copied. */
  headSpare: number
}

/**
 * A choice in which all candidates from `first` on are copied. Together they give up `borrowed` bytes of the newest one's
 * head. `before` is what was copied ahead of them, with a gap between.
 */
interface Chain {
  first: number
  before: Choice | undefined
  borrowed: number
  cost: number
}

/** The best choice that ends with copying the candidate `index`. */
interface Choice {
  index: number
  chain: Chain
  cost: number
}

/**
 * Chooses which bytes S3 copies, so that as few as possible pass through a function. Finds the minimum in linear time.
 *
 * What is not copied forms gaps. A gap must be at least as large as a part, `minPartBytes`, unless it ends the object.
 * A candidate is a source as large as a part (the last source may be smaller).
 *
 * Between two neighbouring candidates that are both copied, a gap that is too small borrows from the tail of the first
 * and the head of the second. That costs exactly `minPartBytes` however it is shared. So only one number decides what
 * is possible later: how much was borrowed from the newest candidate's head. Borrowing from tails first keeps it least.
 * Between two candidates that are not neighbours a whole candidate is left out, so their gap is large enough.
 *
 * For each candidate we keep the choices that no other beats in both cost and borrowed bytes, the cheapest first. A
 * step adds the same amount to all of them, so it is added once (`borrowedSoFar`, `costSoFar`).
 *
 * `sources` has no empty ones. Returns the copied spans in order; the rest is gaps.
 */
export const chooseCopies = (sources: readonly Source[], minPartBytes: number): CopiedSpan[] => {
  const candidates = findCandidates(sources, minPartBytes)
  const totalBytes = sources.reduce((sum, { bytes }) => sum + bytes, 0)
  const spareTail = ({ start, end }: Candidate): number => end - start - minPartBytes

  let chains: Chain[] = [{ first: 0, before: undefined, borrowed: 0, cost: 0 }]
  let cheapest = 0 // index of the first chain that is still possible
  let borrowedSoFar = 0
  let costSoFar = 0
  const choices: (Choice | undefined)[] = []
  // The best candidate in front of a gap: least cost, not counting the bytes of the gap.
  let bestBefore: Choice | undefined
  let bestBase = 0
  let nextBefore = 0

  candidates.forEach((candidate, index) => {
    const previous = candidates[index - 1]
    const gap = candidate.start - (previous?.end ?? 0)
    if (gap === 0 || gap >= minPartBytes) {
      // Nothing is borrowed: take the cheapest choice. A choice across a large gap is added below.
      const best = gap === 0 ? chains[cheapest] : undefined
      chains = best === undefined ? [] : [{ ...best, borrowed: 0, cost: best.cost + costSoFar }]
      cheapest = 0
      borrowedSoFar = 0
      costSoFar = 0
    } else {
      const owed = minPartBytes - gap
      borrowedSoFar += owed - (previous === undefined ? 0 : spareTail(previous))
      costSoFar += minPartBytes
      // Choices that borrow nothing differ in cost only.
      let settled: Chain | undefined
      while (chains.length > cheapest && (chains.at(-1)?.borrowed ?? 0) + borrowedSoFar <= 0)
        settled = chains.pop()
      if (settled) chains.push({ ...settled, borrowed: -borrowedSoFar })
      const owes = (chain: Chain | undefined): number => (chain ? chain.borrowed + borrowedSoFar : 0)
      while (owes(chains[cheapest]) > candidate.headSpare) cheapest++
    }

    for (let end = candidates[nextBefore]?.end; end !== undefined; end = candidates[nextBefore]?.end) {
      if (nextBefore >= index || candidate.start - end < minPartBytes) break
      const choice = choices[nextBefore]
      if (choice && choice.cost - end < bestBase) {
        bestBefore = choice
        bestBase = choice.cost - end
      }
      nextBefore++
    }
    const mayBegin = bestBefore !== undefined || candidate.start >= minPartBytes
    const cost = bestBase + candidate.start
    if (mayBegin) {
      while (chains.length > cheapest && (chains.at(-1)?.cost ?? 0) + costSoFar >= cost) chains.pop()
      chains.push({ first: index, before: bestBefore, borrowed: -borrowedSoFar, cost: cost - costSoFar })
    }
    const chain = chains[cheapest]
    choices.push(chain && { index, chain, cost: chain.cost + costSoFar })
  })

  const last = choices.reduce<Choice | undefined>((best, choice, index) => {
    const costOf = (at: Choice) => at.cost - (candidates[at.index]?.end ?? 0)
    const isBetter = choice && costOf(choice) < (best ? costOf(best) : 0)
    return isBetter ? { ...choice, index } : best
  }, undefined)
  return settleBorders(copiedCandidates(last, candidates), minPartBytes, totalBytes)
}

const findCandidates = (sources: readonly Source[], minPartBytes: number): Candidate[] => {
  const candidates: Candidate[] = []
  let start = 0
  sources.forEach(({ bytes, canCopy }, source) => {
    const end = start + bytes
    const isLast = source === sources.length - 1
    // S3 copies a range only from an object larger than 5 MiB (API Reference, UploadPartCopy).
    const headSpare = isLast ? (bytes > minPartBytes ? bytes - 1 : 0) : bytes - minPartBytes
    if (canCopy && (isLast || bytes >= minPartBytes)) candidates.push({ source, start, end, headSpare })
    start = end
  })
  return candidates
}

const copiedCandidates = (last: Choice | undefined, candidates: readonly Candidate[]): Candidate[] => {
  const copied: Candidate[] = []
  for (let choice = last; choice; choice = choice.chain.before) {
    copied.push(...candidates.slice(choice.chain.first, choice.index + 1).reverse())
  }
  return copied.reverse()
}

/** Takes what the gaps borrow: first from the tail before a gap, then from the head after it. */
const settleBorders = (
  copied: readonly Candidate[],
  minPartBytes: number,
  totalBytes: number,
): CopiedSpan[] => {
  const spans: CopiedSpan[] = []
  for (const { source, start, end } of copied) {
    const previous = spans.at(-1)
    const gap = start - (previous?.end ?? 0)
    const owed = gap > 0 ? Math.max(0, minPartBytes - gap) : 0
    const spare = previous ? previous.end - previous.start - minPartBytes : 0
    const fromTail = Math.min(owed, spare)
    if (previous) previous.end -= fromTail
    spans.push({ source, start: start + owed - fromTail, end: Math.min(end, totalBytes) })
  }
  return spans
}
