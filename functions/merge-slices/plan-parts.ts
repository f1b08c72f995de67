import {
  MAX_OBJECT_BYTES,
  MAX_PART_BYTES,
  MAX_PARTS,
  MIN_PART_BYTES,
  refuseLarger,
} from '../lib/cloud/multipart/part-ranges.ts'
import { type CopiedSpan, chooseCopies, type Source } from './choose-copies.ts'

/** Bytes `firstByte` to `lastByte`, both included, of the source with this index. */
interface SourceRange {
  source: number
  firstByte: number
  lastByte: number
}

/** One part of a multipart upload: one range that S3 copies by itself, or ranges that a function reads and writes. */
export interface Part {
  kind: 'copy' | 'assemble'
  partNumber: number
  bytes: number
  ranges: SourceRange[]
}

export interface PlanLimits {
  minPartBytes: number
  maxPartBytes: number
  maxParts: number
  /** Preferred sizes, exceeded only when there would be too many parts. Each is at least twice `minPartBytes`. */
  copiedPartBytes: number
  assembledPartBytes: number
}

const S3_LIMITS: PlanLimits = {
  minPartBytes: MIN_PART_BYTES,
  maxPartBytes: MAX_PART_BYTES,
  maxParts: MAX_PARTS,
  // S3 copies a part at some 100 MB/s: 512 MiB are a few seconds.
  copiedPartBytes: 512 * 1024 ** 2,
  // Whoever assembles the part holds it in memory.
  assembledPartBytes: 10 * 1024 ** 2,
}

/**
 * Plans the parts of one object made of `sources`, joined in order.
 *
 * Every byte is in one part, in order. Every part but the last has `minPartBytes` to `maxPartBytes`, and there are at
 * most `maxParts` parts. No plan within the limits on sizes copies more bytes.
 *
 * When that plan has too many parts even with the largest ones, one run of neighbouring parts is assembled instead:
 * of all runs that save enough parts, the one that gives up the fewest copied bytes. An empty object is one empty part.
 *
 * Throws `UserError` (`multipart.tooLarge`) above S3's largest object. Everything smaller has a plan.
 */
export const planParts = (sources: readonly Source[], limits: Partial<PlanLimits> = {}): Part[] => {
  const all = { ...S3_LIMITS, ...limits }
  const maxObjectBytes = Math.min(MAX_OBJECT_BYTES, all.maxParts * all.maxPartBytes)
  const totalBytes = sources.reduce((sum, { bytes }) => sum + bytes, 0)
  refuseLarger(totalBytes, maxObjectBytes)
  if (totalBytes === 0) return [{ kind: 'assemble', partNumber: 1, bytes: 0, ranges: [] }]

  const filled = sources.flatMap((source, index) => (source.bytes > 0 ? [{ ...source, index }] : []))
  const copies = chooseCopies(filled, all.minPartBytes)
  const spans = limitSpans(withGaps(copies, totalBytes), all)
  const place = placeSources(filled)
  return spans.map(({ start, end, isCopied }, index) => ({
    kind: isCopied ? 'copy' : 'assemble',
    partNumber: index + 1,
    bytes: end - start,
    ranges: place(start, end),
  }))
}

/** Bytes `start` to `end` (not included) of the object. */
interface Span {
  start: number
  end: number
  isCopied: boolean
}

const withGaps = (copies: readonly CopiedSpan[], totalBytes: number): Span[] => {
  const spans: Span[] = []
  let position = 0
  for (const { start, end } of copies) {
    if (start > position) spans.push({ start: position, end: start, isCopied: false })
    spans.push({ start, end, isCopied: true })
    position = end
  }
  if (position < totalBytes) spans.push({ start: position, end: totalBytes, isCopied: false })
  return spans
}

/** Cuts the spans into parts: of the preferred size, or larger ones when there would be too many. */
const limitSpans = (spans: readonly Span[], limits: PlanLimits): Span[] => {
  const { maxPartBytes, maxParts } = limits
  for (let scale = 1; ; scale *= 2) {
    const partBytesOf = ({ isCopied }: Span): number =>
      Math.min(maxPartBytes, scale * (isCopied ? limits.copiedPartBytes : limits.assembledPartBytes))
    const count = spans.reduce((sum, span) => sum + countPieces(span, partBytesOf(span)), 0)
    const areLargest = spans.every(span => partBytesOf(span) === maxPartBytes)
    if (count > maxParts && !areLargest) continue
    const parts = spans.flatMap(span => cut(span, partBytesOf(span)))
    return count <= maxParts ? parts : assembleRun(parts, limits)
  }
}

const countPieces = ({ start, end }: Span, partBytes: number): number => Math.ceil((end - start) / partBytes)

/** Cuts equal pieces, so that none is smaller than half of `partBytes`. */
const cut = (span: Span, partBytes: number): Span[] => {
  const { start, end, isCopied } = span
  const count = countPieces(span, partBytes)
  const border = (index: number): number => start + Math.floor(((end - start) / count) * index)
  return Array.from({ length: count }, (_, index) => ({
    start: border(index),
    end: index === count - 1 ? end : border(index + 1),
    isCopied,
  }))
}

/** Replaces the run of neighbouring parts that costs the fewest copied bytes by as few assembled parts as possible. */
const assembleRun = (parts: readonly Span[], { maxPartBytes, maxParts }: PlanLimits): Span[] => {
  const toSave = parts.length - maxParts
  const copiedBefore = [0]
  for (const { start, end, isCopied } of parts) {
    copiedBefore.push((copiedBefore.at(-1) ?? 0) + (isCopied ? end - start : 0))
  }
  let best: { first: number; last: number; copied: number } | undefined
  let first = 0
  parts.forEach((part, last) => {
    const saves = (from: number): number => {
      const bytes = part.end - (parts[from]?.start ?? 0)
      return last - from + 1 - Math.ceil(bytes / maxPartBytes)
    }
    // A shorter run never saves more, so the start only moves forward.
    while (first < last && saves(first + 1) >= toSave) first++
    if (saves(first) < toSave) return
    const copied = (copiedBefore[last + 1] ?? 0) - (copiedBefore[first] ?? 0)
    if (best === undefined || copied < best.copied) best = { first, last, copied }
  })
  // The run of all parts always saves enough: the object fits into `maxParts` parts of the largest size.
  const { first: from, last: to } = best ?? { first: 0, last: parts.length - 1 }
  const run = { start: parts[from]?.start ?? 0, end: parts[to]?.end ?? 0, isCopied: false }
  return [...parts.slice(0, from), ...cut(run, maxPartBytes), ...parts.slice(to + 1)]
}

/** Finds the source ranges of a span. Call it with the spans in order. */
const placeSources = (sources: readonly { bytes: number; index: number }[]) => {
  let current = 0
  let sourceStart = 0
  return (start: number, end: number): SourceRange[] => {
    const ranges: SourceRange[] = []
    for (let position = start; position < end; ) {
      const source = sources[current]
      if (source === undefined) throw new Error('A span reaches beyond the last source')
      const sourceEnd = sourceStart + source.bytes
      if (position >= sourceEnd) {
        current++
        sourceStart = sourceEnd
        continue
      }
      const last = Math.min(end, sourceEnd) - 1
      ranges.push({
        source: source.index,
        firstByte: position - sourceStart,
        lastByte: last - sourceStart,
      })
      position = last + 1
    }
    return ranges
  }
}
