/** One of the byte sequences that make an object, in order: a slice, or bytes that no store holds (a header). */
export interface Source {
  bytes: number
  /** Whether the credentials may read it and write the object in one request, so that S3 copies by itself. */
  canCopy: boolean
}

/** Bytes of the object, `end` not included, that S3 copies out of one source. */
export interface CopiedSpan {
  source: number
  start: number
  end: number
}

/** A source that S3 can copy (part of), with its place in the object. */
interface Candidate extends CopiedSpan {
  /** So many bytes at its head may pass through a function and the rest can still be copied. */
  headSpare: number
}

/**
 * Candidates from `first` on that are all copied; together they owe `lent` bytes of the newest one's head.
 * `before` is what was copied ahead of them, with a gap between.
 */
interface Chain {
  first: number
  before: Choice | undefined
  lent: number
  cost: number
}

/** The best way to copy the candidate `index`. */
interface Choice {
  index: number
  chain: Chain
  cost: number
}

/**
 * Which bytes S3 copies, so that as few as possible pass through a function: a proven minimum, in linear time.
 *
 * What is not copied forms gaps, and a gap must be as large as a part, `minPartBytes`, unless it ends the object. A
 * candidate is a source as large as a part (the last source may be smaller). Between two neighbouring candidates that
 * are both copied, a gap too small borrows from the tail of the one and the head of the other, and costs exactly
 * `minPartBytes` however it is shared out; so only one number decides what is possible later: how much was borrowed
 * from the newest candidate's head. Borrowing from tails first keeps it least. Two candidates that are not neighbours
 * leave out a whole candidate, so their gap is large enough by itself.
 *
 * For each candidate the chains that nothing beats in both cost and borrowed bytes are kept, the cheapest first. A step
 * adds the same to all of them, so it is added once (`lentSoFar`, `costSoFar`): each chain comes and goes once.
 *
 * `sources` without empty ones. Returns spans in order; the rest is gaps.
 */
export const chooseCopies = (sources: readonly Source[], minPartBytes: number): CopiedSpan[] => {
  const candidates = findCandidates(sources, minPartBytes)
  const totalBytes = sources.reduce((sum, { bytes }) => sum + bytes, 0)
  const spareTail = ({ start, end }: Candidate): number => end - start - minPartBytes

  let chains: Chain[] = [{ first: 0, before: undefined, lent: 0, cost: 0 }]
  let cheapest = 0 // index of the first chain that is still possible
  let lentSoFar = 0
  let costSoFar = 0
  const choices: (Choice | undefined)[] = []
  // The best candidate to come before a gap: least cost once the bytes of the gap are counted from zero.
  let bestBefore: Choice | undefined
  let bestBase = 0
  let nextBefore = 0

  candidates.forEach((candidate, index) => {
    const previous = candidates[index - 1]
    const gap = candidate.start - (previous?.end ?? 0)
    if (gap === 0 || gap >= minPartBytes) {
      // Nothing is borrowed: the cheapest chain is the best. Across a large gap it is a chain of its own, below.
      const best = gap === 0 ? chains[cheapest] : undefined
      chains = best === undefined ? [] : [{ ...best, lent: 0, cost: best.cost + costSoFar }]
      cheapest = 0
      lentSoFar = 0
      costSoFar = 0
    } else {
      const owed = minPartBytes - gap
      lentSoFar += owed - (previous === undefined ? 0 : spareTail(previous))
      costSoFar += minPartBytes
      // Chains that owe nothing are equal but for their cost.
      let settled: Chain | undefined
      while (chains.length > cheapest && (chains.at(-1)?.lent ?? 0) + lentSoFar <= 0) settled = chains.pop()
      if (settled) chains.push({ ...settled, lent: -lentSoFar })
      const owes = (chain: Chain | undefined): number => (chain ? chain.lent + lentSoFar : 0)
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
      chains.push({ first: index, before: bestBefore, lent: -lentSoFar, cost: cost - costSoFar })
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
    // S3: a range can only be copied out of an object larger than 5 MiB (API Reference, UploadPartCopy).
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

/** Takes what the gaps borrow: from the tail in front of a gap first, then from the head behind it. */
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
