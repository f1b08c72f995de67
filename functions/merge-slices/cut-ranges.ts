import type { NumberRange } from './event.ts'
import type { Part } from './plan-parts.ts'

const GIB = 1024 ** 3

/**
 * The work of one invocation. It may take 15 minutes (Lambda quotas, "Function timeout") and is planned for two: S3
 * copies some 3 GB/s with 32 parallel requests, a function reads and writes some 75 MB/s, and a read of a small slice
 * takes some 20 ms, 32 of them in parallel.
 */
const MOST_PARTS = 250
const MOST_COPIED_BYTES = 256 * GIB
const MOST_ASSEMBLED_BYTES = 2 * GIB
const MOST_READS = 50_000

/**
 * An inline Map writes some eight events per iteration, and an execution may have 25,000 (Step Functions quotas,
 * "Maximum execution event history size"). Beyond 2 TB of assembled bytes invocations get longer instead of more.
 */
const MOST_RANGES = 1_000

type PlannedPart = Omit<Part, 'ranges'> & { ranges: readonly unknown[] }

/** Groups neighbouring parts, so that one invocation finishes a group well within its time. */
export const cutRanges = (parts: readonly PlannedPart[]): NumberRange[] => {
  const loadOf = ({ kind, bytes, ranges }: PlannedPart) =>
    kind === 'copy'
      ? { copied: bytes, assembled: 0, reads: 0 }
      : { copied: 0, assembled: bytes, reads: ranges.length }
  const assembledBytes = parts.reduce((sum, part) => sum + loadOf(part).assembled, 0)
  const mostAssembledBytes = Math.max(MOST_ASSEMBLED_BYTES, Math.ceil(assembledBytes / MOST_RANGES))
  const ranges: NumberRange[] = []
  let load = { copied: 0, assembled: 0, reads: 0 }
  for (const part of parts) {
    const { partNumber } = part
    const own = loadOf(part)
    const range = ranges.at(-1)
    const next = {
      copied: load.copied + own.copied,
      assembled: load.assembled + own.assembled,
      reads: load.reads + own.reads,
    }
    const fits =
      range !== undefined &&
      partNumber - range.from < MOST_PARTS &&
      next.copied <= MOST_COPIED_BYTES &&
      next.assembled <= mostAssembledBytes &&
      next.reads <= MOST_READS
    if (fits) range.to = partNumber
    else ranges.push({ from: partNumber, to: partNumber })
    load = fits ? next : own
  }
  return ranges
}
