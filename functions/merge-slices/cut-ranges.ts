import type { ObjectRange, SourceObject } from '../lib/cloud/multipart/source-object.ts'
import type { NumberRange } from './event.ts'
import type { ResolvedPart } from './plan-records.ts'

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
const MOST_BYTE_RANGES = 1_000

/** Groups neighbouring parts, so that one invocation finishes a group well within its time. */
export const cutRanges = (parts: readonly ResolvedPart[]): NumberRange[] => {
  const assembledBytes = parts.reduce((sum, part) => sum + (part.kind === 'assemble' ? part.bytes : 0), 0)
  const mostAssembledBytes = Math.max(MOST_ASSEMBLED_BYTES, Math.ceil(assembledBytes / MOST_BYTE_RANGES))
  const ranges: NumberRange[] = []
  let load = { copied: 0, assembled: 0, reads: 0 }
  for (const { partNumber, kind, bytes, ranges: reads } of parts) {
    const range = ranges.at(-1)
    const next = {
      copied: load.copied + (kind === 'copy' ? bytes : 0),
      assembled: load.assembled + (kind === 'assemble' ? bytes : 0),
      reads: load.reads + (kind === 'assemble' ? reads.length : 0),
    }
    const fits =
      range !== undefined &&
      partNumber - range.from < MOST_PARTS &&
      next.copied <= MOST_COPIED_BYTES &&
      next.assembled <= mostAssembledBytes &&
      next.reads <= MOST_READS
    if (fits) {
      range.to = partNumber
      load = next
    } else {
      ranges.push({ from: partNumber, to: partNumber })
      load = {
        copied: next.copied - load.copied,
        assembled: next.assembled - load.assembled,
        reads: next.reads - load.reads,
      }
    }
  }
  return ranges
}

const MOST_CONVERTED_BYTES = GIB / 4

/**
 * Groups the bytes of slices into conversions. Plain bytes may be cut anywhere, since the resulting gzip members can be
 * joined. A compressed slice is never cut, because it can only be expanded as a whole.
 */
export const cutConversions = (slices: readonly SourceObject[], to: 'gzip' | 'plain'): ObjectRange[][] => {
  const totalBytes = slices.reduce((sum, { bytes }) => sum + bytes, 0)
  const mostBytes = Math.max(MOST_CONVERTED_BYTES, Math.ceil(totalBytes / MOST_BYTE_RANGES))
  const conversions: ObjectRange[][] = []
  let room = 0
  for (const source of slices) {
    for (let firstByte = 0; firstByte < source.bytes; ) {
      if (room <= 0) {
        conversions.push([])
        room = mostBytes
      }
      const length = to === 'plain' ? source.bytes : Math.min(room, source.bytes - firstByte)
      conversions.at(-1)?.push({ source, firstByte, lastByte: firstByte + length - 1 })
      firstByte += length
      room -= length
    }
  }
  return conversions
}
