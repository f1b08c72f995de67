import type { PartRange } from '../lib/cloud/multipart/part-ranges.ts'

/** Part numbers `from` to `to`, both included: the work of one invocation. */
export interface NumberRange {
  from: number
  to: number
}

/**
 * An inline Map writes some eight events per iteration, and an execution has 25,000 of them (Step Functions quotas,
 * "Maximum execution event history size").
 */
const MOST_RANGES = 1_500

/** Groups the missing parts into ranges of neighbours, each of `rangeBytes` or, when there would be too many, more. */
export const moveRanges = (
  parts: readonly PartRange[],
  isThere: (part: PartRange) => boolean,
  rangeBytes: number,
): NumberRange[] => {
  const bytesOf = ({ firstByte, lastByte }: PartRange): number => lastByte - firstByte + 1
  const missing = parts.filter(part => !isThere(part))
  const missingBytes = missing.reduce((sum, part) => sum + bytesOf(part), 0)
  const mostBytes = Math.max(rangeBytes, Math.ceil(missingBytes / MOST_RANGES))
  const ranges: NumberRange[] = []
  let room = 0
  for (const part of missing) {
    const range = ranges.at(-1)
    if (range && range.to === part.partNumber - 1 && room >= bytesOf(part)) {
      range.to = part.partNumber
      room -= bytesOf(part)
    } else {
      ranges.push({ from: part.partNumber, to: part.partNumber })
      room = mostBytes - bytesOf(part)
    }
  }
  return ranges
}
