import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Source } from '#functions/merge-slices/choose-copies.ts'
import { type Part, type PlanLimits, planParts } from '#functions/merge-slices/plan-parts.ts'
import {
  MAX_OBJECT_BYTES,
  MAX_PART_BYTES,
  MAX_PARTS,
  MIN_PART_BYTES,
} from '#lib/cloud/multipart/part-ranges.ts'
import { UserError } from '#lib/errors/errors.ts'

const MiB = 1024 ** 2
const GiB = 1024 ** 3

const slices = (...sizes: number[]): Source[] => sizes.map(bytes => ({ bytes, canCopy: true }))
const header = (bytes: number): Source => ({ bytes, canCopy: false })

const copiedBytes = (parts: Part[]): number =>
  parts.reduce((sum, { kind, bytes }) => sum + (kind === 'copy' ? bytes : 0), 0)

const shapeOf = (parts: Part[]): string[] =>
  parts.map(({ kind, bytes }) => `${kind} ${(bytes / MiB).toLocaleString('en')}`)

/** Every byte of every source once, in order, in parts that S3 takes. */
const checkLaws = (sources: readonly Source[], parts: Part[], limits: PlanLimits): void => {
  let source = 0
  let position = 0
  parts.forEach((part, index) => {
    const isLast = index === parts.length - 1
    const { ranges } = part
    for (const { source: at, firstByte, lastByte } of ranges) {
      while (source < at) {
        if (position !== sources[source]?.bytes) throw new Error(`source ${source} is cut short`)
        source++
        position = 0
      }
      if (at !== source || firstByte !== position || lastByte < firstByte) throw new Error('out of order')
      position = lastByte + 1
    }
    const bytes = ranges.reduce((sum, { firstByte, lastByte }) => sum + lastByte - firstByte + 1, 0)
    const isRightSize = bytes <= limits.maxPartBytes && (isLast || bytes >= limits.minPartBytes)
    if (part.partNumber !== index + 1 || part.bytes !== bytes || !isRightSize) throw new Error('bad part')
    if (part.kind !== 'copy') return
    const copied = ranges.length === 1 ? sources[ranges[0]?.source ?? -1] : undefined
    const isWhole = copied?.bytes === bytes
    // S3: a range can only be copied out of an object larger than 5 MiB.
    if (!copied?.canCopy || !(isWhole || copied.bytes > limits.minPartBytes)) throw new Error('bad copy')
  })
  const rest = sources.slice(source).reduce((sum, { bytes }) => sum + bytes, 0) - position
  if (rest !== 0) throw new Error(`${rest} bytes are missing`)
  if (parts.length > limits.maxParts || parts.length === 0) throw new Error('bad number of parts')
}

const s3: PlanLimits = {
  minPartBytes: MIN_PART_BYTES,
  maxPartBytes: MAX_PART_BYTES,
  maxParts: MAX_PARTS,
  copiedPartBytes: MAX_PART_BYTES,
  assembledPartBytes: 10 * MiB,
}

describe('the parts of', () => {
  it.each<[string, Source[], string[]]>([
    ['nothing', [], ['assemble 0']],
    ['empty slices', slices(0, 0), ['assemble 0']],
    ['one slice, however small', slices(1 * MiB), ['copy 1']],
    ['slices of 5 MiB and more', slices(5 * MiB, 16 * MiB, 7 * MiB), ['copy 5', 'copy 16', 'copy 7']],
    ['a small slice at the end', slices(16 * MiB, 1 * MiB), ['copy 16', 'copy 1']],
    ['a small slice before that', slices(16 * MiB, 1 * MiB, 1 * MiB), ['copy 16', 'assemble 2']],
    ['a small slice between', slices(8 * MiB, 1 * MiB, 20 * MiB), ['copy 5', 'assemble 5', 'copy 19']],
    ['a header', [header(MiB), ...slices(16 * MiB)], ['assemble 5', 'copy 12']],
    [
      'a header before a slice that can spare little',
      [header(MiB), ...slices(6 * MiB)],
      ['assemble 5', 'copy 2'],
    ],
    ['a header before two such slices', [header(MiB), ...slices(6 * MiB, 6 * MiB)], ['assemble 7', 'copy 6']],
    [
      'slices under 5 MiB',
      slices(4 * MiB, 4 * MiB, 4 * MiB, 4 * MiB),
      ['assemble 6', 'assemble 6', 'copy 4'],
    ],
    ['two slices of 5 MiB around a small one', slices(5 * MiB, MiB, 5 * MiB), ['copy 5', 'assemble 6']],
    [
      'a slice that is cheaper to leave out',
      slices(30 * MiB, MiB, 6 * MiB, MiB, 30 * MiB),
      ['copy 30', 'assemble 8', 'copy 30'],
    ],
    ['a slice over 512 MiB', slices(1 * GiB), ['copy 512', 'copy 512']],
    [
      'slices that cannot be copied',
      [header(20 * MiB), header(4 * MiB)],
      ['assemble 8', 'assemble 8', 'assemble 8'],
    ],
  ])('%s', (_, sources, expected) => {
    expect(shapeOf(planParts(sources))).toEqual(expected)
  })

  it('100,000 tiny slices are three', () => {
    const sources = slices(...Array.from({ length: 100_000 }, () => 200))
    const parts = planParts(sources)
    checkLaws(sources, parts, s3)
    // Two that are assembled, and the last slice, which may be as small as it is.
    expect(parts).toHaveLength(3)
  })

  it('100,000 slices that hinder each other are found in linear time', () => {
    // Each candidate can give almost as much as the gaps on its sides need, so no chain of them is settled for long.
    const sources = slices(...Array.from({ length: 100_000 }, (_, i) => (i % 2 ? 100_000 : 10_385_759)))
    checkLaws(sources, planParts(sources), s3)
  })

  it('slices over 5 GiB are copied whole', () => {
    const sources = slices(17 * GiB, 5 * GiB + 1)
    const parts = planParts(sources)
    checkLaws(sources, parts, s3)
    expect(copiedBytes(parts)).toBe(22 * GiB + 1)
  })

  it('the largest object of all', () => {
    const sources = slices(...Array.from({ length: 10_000 }, () => 5 * GiB))
    const parts = planParts(sources)
    checkLaws(sources, parts, s3)
    expect(copiedBytes(parts)).toBe(MAX_OBJECT_BYTES)
  })

  it('one byte more are refused', () => {
    const sources = slices(...Array.from({ length: 10_000 }, () => 5 * GiB), 1)
    expect(() => planParts(sources)).toThrow(UserError)
  })

  it('slices whose copies would be too many parts', () => {
    const sources = slices(...Array.from({ length: 10_010 }, () => 6 * MiB))
    const parts = planParts(sources)
    checkLaws(sources, parts, s3)
    // Eleven slices in one part save ten parts.
    expect(parts).toHaveLength(10_000)
    expect(copiedBytes(parts)).toBe(9_999 * 6 * MiB)
  })
})

describe('whatever the sources', () => {
  const sizeInS3 = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 * MiB }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 5 * MiB - 1, 5 * MiB, 5 * MiB + 1, 10 * MiB, 5 * GiB) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * GiB }) },
  )
  const sourcesInS3 = fc.array(fc.record({ bytes: sizeInS3, canCopy: fc.boolean() }), { maxLength: 200 })

  it('every byte once and in order, within the limits of S3', () => {
    fc.assert(
      fc.property(sourcesInS3, sources => checkLaws(sources, planParts(sources), s3)),
      { numRuns: 100 },
    )
  })

  // With a part of 5 to 40 bytes every plan can be tried.
  const small: PlanLimits = {
    minPartBytes: 5,
    maxPartBytes: 40,
    maxParts: 1_000,
    copiedPartBytes: 20,
    assembledPartBytes: 10,
  }
  const source = fc.record({
    bytes: fc.oneof(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 0, max: 60 })),
    canCopy: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  const fewSources = fc.array(source, { minLength: 1, maxLength: 12 })

  /** The most bytes that any plan copies, by trying every border of every part; `-Infinity` when there is none. */
  const mostCopiedBytes = (
    sources: readonly Source[],
    { minPartBytes, maxPartBytes }: PlanLimits,
    maxParts = Number.POSITIVE_INFINITY,
  ): number => {
    const ownerOf = sources.flatMap(({ bytes }, index) => Array<number>(bytes).fill(index))
    const total = ownerOf.length
    const isCopyable = (start: number, end: number): boolean => {
      const owner = ownerOf[start] ?? 0
      const { bytes, canCopy } = sources[owner] ?? { bytes: 0, canCopy: false }
      return canCopy && ownerOf[end - 1] === owner && (bytes > minPartBytes || end - start === bytes)
    }
    // Without a limit on their number there is one row, which is its own predecessor.
    const rows = Number.isFinite(maxParts) ? maxParts + 1 : 1
    const best = Array.from({ length: rows }, () => Array<number>(total + 1).fill(Number.NEGATIVE_INFINITY))
    for (const row of best) row[0] = 0
    for (let end = 1; end <= total; end++) {
      const shortest = end === total ? 1 : minPartBytes
      for (let start = Math.max(0, end - maxPartBytes); start <= end - shortest; start++) {
        const copied = isCopyable(start, end) ? end - start : 0
        for (let parts = rows - 1; parts >= Math.min(1, rows - 1); parts--) {
          const row = best[parts] ?? []
          const before = best[Math.max(0, parts - 1)]?.[start] ?? Number.NEGATIVE_INFINITY
          row[end] = Math.max(row[end] ?? Number.NEGATIVE_INFINITY, before + copied)
        }
      }
    }
    return best.at(-1)?.[total] ?? 0
  }

  it('no plan copies more bytes', () => {
    fc.assert(
      fc.property(fewSources, sources => {
        const parts = planParts(sources, small)
        checkLaws(sources, parts, small)
        expect(copiedBytes(parts)).toBe(mostCopiedBytes(sources, small))
      }),
      { numRuns: 300 },
    )
  })

  it('with too many parts: within the limit, and no better than can be', () => {
    fc.assert(
      fc.property(fewSources, fc.integer({ min: 1, max: 12 }), (sources, maxParts) => {
        const limits = { ...small, maxParts }
        const total = sources.reduce((sum, { bytes }) => sum + bytes, 0)
        if (total > maxParts * small.maxPartBytes) {
          expect(() => planParts(sources, limits)).toThrow(UserError)
          return
        }
        const parts = planParts(sources, limits)
        checkLaws(sources, parts, limits)
        expect(copiedBytes(parts)).toBeLessThanOrEqual(mostCopiedBytes(sources, limits, maxParts))
      }),
      { numRuns: 100 },
    )
  })
})
