import { z } from 'zod'
import type { ObjectRange, SourceObject } from '../lib/cloud/multipart/source-object.ts'
import type { FileAccess } from './file-access.ts'
import type { WorkPlace } from './work-place.ts'

/** Which credentials read a source: `file` those of the file, `work` our own. */
const storedSource = z.object({
  from: z.enum(['file', 'work']),
  bucket: z.string(),
  key: z.string(),
  etag: z.string(),
  bytes: z.number(),
})
type StoredSource = z.infer<typeof storedSource>

const storedRange = z.object({ source: z.number(), firstByte: z.number(), lastByte: z.number() })

/** `ranges/<from>.json`: the parts of one invocation of `copy` or `convert`, with their sources. */
export const rangeRecord = z.object({
  sources: z.array(storedSource),
  parts: z.array(
    z.object({
      partNumber: z.number(),
      kind: z.enum(['copy', 'assemble']),
      bytes: z.number(),
      ranges: z.array(storedRange),
    }),
  ),
})
type RangeRecord = z.infer<typeof rangeRecord>

/** A part whose ranges name their sources. */
export interface ResolvedPart {
  partNumber: number
  kind: 'copy' | 'assemble'
  bytes: number
  ranges: ObjectRange[]
}

/** Each source is stored once per record: many parts of a slice share one long key. */
export const writeRangeRecord = (parts: readonly ResolvedPart[], work: WorkPlace): RangeRecord => {
  const indexes = new Map<SourceObject, number>()
  const sources: StoredSource[] = []
  const indexOf = (source: SourceObject): number => {
    const known = indexes.get(source)
    if (known !== undefined) return known
    const { bucket, key, etag, bytes } = source
    const isOurs = bucket === work.bucket && key.startsWith(work.prefix)
    indexes.set(source, sources.length)
    sources.push({ from: isOurs ? 'work' : 'file', bucket, key, etag, bytes })
    return sources.length - 1
  }
  return {
    parts: parts.map(part => ({
      ...part,
      ranges: part.ranges.map(({ source, firstByte, lastByte }) => ({
        source: indexOf(source),
        firstByte,
        lastByte,
      })),
    })),
    sources,
  }
}

export const readRangeRecord = async (
  { sources, parts }: RangeRecord,
  work: WorkPlace,
  open: () => Promise<FileAccess>,
): Promise<ResolvedPart[]> => {
  const needsFile = sources.some(({ from }) => from === 'file')
  const fileS3 = needsFile ? (await open()).s3 : work.s3
  const resolved = sources.map(
    ({ from, ...source }): SourceObject => ({ ...source, s3: from === 'file' ? fileS3 : work.s3 }),
  )
  return parts.map(part => ({
    ...part,
    ranges: part.ranges.map(({ source: index, ...range }) => {
      const source = resolved[index]
      if (!source) throw new Error(`A part names source ${index} of ${resolved.length}`)
      return { source, ...range }
    }),
  }))
}

/** `plan.json`: what the later steps need to know about the whole. */
export const planRecord = z.object({
  fileId: z.number(),
  destination: z.object({ bucket: z.string(), key: z.string() }),
  overwrite: z.boolean(),
  uploadId: z.string(),
  bytes: z.number(),
  parts: z.object({ copied: z.number(), assembled: z.number() }),
  bytesThroughFunctions: z.number(),
  ranges: z.array(z.object({ from: z.number(), to: z.number() })),
})

/** `conversion.json`: slices that must be compressed or expanded before they can be merged. */
export const conversionRecord = z.object({
  fileId: z.number(),
  to: z.enum(['gzip', 'plain']),
  count: z.number(),
  /** Number of bytes to convert. */
  bytes: z.number(),
  ranges: z.array(z.object({ from: z.number(), to: z.number() })),
})

/**
 * `made/<any>.json`: the parts of one attempt, as S3 answered them. `sealed.json`: all parts, stored just before the
 * upload is completed, in case the answer to that is lost.
 */
export const partsRecord = z.object({
  parts: z.array(
    z.object({
      partNumber: z.number(),
      etag: z.string(),
      bytes: z.number(),
      checksum: z.string().optional(),
    }),
  ),
})
