import { gzipSync } from 'node:zlib'
import pMap from 'p-map'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { UserError } from '../lib/errors/errors.ts'
import { joinedForm, listSlices } from '../lib/storage/files/list-slices.ts'
import { formatRecord } from '../lib/table-engine/csv/format-records.ts'
import { cutConversions, cutRanges } from './cut-ranges.ts'
import type { ExportInput, NumberRange } from './event.ts'
import { openFile } from './file-access.ts'
import { openUpload } from './open-upload.ts'
import { planParts } from './plan-parts.ts'
import { conversionRecord, planRecord, type ResolvedPart, writeRangeRecord } from './plan-records.ts'
import { requestRecord } from './request-export.ts'
import type { MergeSlicesServices } from './services.ts'
import type { WorkPlace } from './work-place.ts'

/** What the machine does next, over which ranges. After `convert` the step `plan` follows again. */
interface PlannedExport {
  outcome: 'convert' | 'copy'
  ranges: NumberRange[]
}

/** One invocation expands a compressed slice, and writes some 60 GB in its 15 minutes. */
const MAX_EXPANDED_SLICE_BYTES = 8 * 1024 ** 3

const WRITES_IN_PARALLEL = 8

/**
 * Plans the parts of the destination from the slices of a file, and stores the plan for the steps that make them.
 *
 * Slices that must be compressed or expanded are first converted, to objects below the work prefix, which are then
 * merged like slices. Errors: those of the manifest, `storage.slicesNotJoined`, `multipart.tooLarge`, `export.sliceTooLarge`,
 * `export.destinationForbidden`.
 */
export const planExport = async (
  services: MergeSlicesServices,
  { input, fileId }: { input: ExportInput; fileId: number },
  work: WorkPlace,
): Promise<PlannedExport> => {
  const planned = await work.read('plan.json', planRecord)
  if (planned) return { outcome: 'copy', ranges: planned.ranges }

  const file = await openFile(fileId, services)
  const stored = await listSlices(file)
  const columns = await headerColumns(input, work)
  const { form, open, lineEnd } = await joinedForm(stored, {
    hasHeader: columns !== undefined,
    isExport: 'tableId' in input,
  })
  const slices = await endLines(stored, { open, lineEnd }, work)
  const isCompressed = form.endsWith('compressed with gzip')
  const to = (input.gzip ?? isCompressed) ? 'gzip' : 'plain'
  const isConverted = (to === 'gzip') !== isCompressed && slices.some(({ bytes }) => bytes > 0)

  const conversion = isConverted ? await planConversion({ slices, fileId, to }, work) : undefined
  if (conversion && !conversion.converted) return { outcome: 'convert', ranges: conversion.ranges }

  const body = conversion?.converted ?? slices
  const header = columns && (await writeHeader(columns, to, work))
  const sources = [
    ...(header ? [{ source: header, canCopy: false }] : []),
    ...body.map(source => ({
      source,
      canCopy: source.key !== lineEndKey(work) && (conversion !== undefined || file.canCopy),
    })),
  ]
  const parts = planParts(sources.map(({ source, canCopy }) => ({ bytes: source.bytes, canCopy }))).map(
    part => resolvePart(part, sources),
  )
  const ranges = cutRanges(parts)
  await pMap(
    ranges,
    ({ from, to }) => work.write(`parts/${from}.json`, writeRangeRecord(parts.slice(from - 1, to), work)),
    { concurrency: WRITES_IN_PARALLEL },
  )

  const { bucket, key, overwrite } = input.destination
  const uploadId = await openUpload({ s3: services.s3, ...describeObject(input, to, form) }, work)
  const assembled = parts.filter(({ kind }) => kind === 'assemble')
  const sumOf = (list: { bytes: number }[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0)
  await work.write('plan.json', {
    fileId,
    destination: { bucket, key },
    overwrite,
    uploadId,
    bytes: sumOf(parts),
    parts: { copied: parts.length - assembled.length, assembled: assembled.length },
    bytesThroughFunctions: sumOf(assembled) + (conversion?.bytes ?? 0),
    ranges,
  } satisfies typeof planRecord._output)
  return { outcome: 'copy', ranges }
}

const lineEndKey = ({ prefix }: WorkPlace): string => `${prefix}line-end`

/** With a line end after each slice that lacks one: an object below the work prefix, so that it is a source like any other. */
const endLines = async (
  slices: SourceObject[],
  { open, lineEnd }: { open: ReadonlySet<SourceObject>; lineEnd: Buffer },
  work: WorkPlace,
): Promise<SourceObject[]> => {
  if (open.size === 0) return slices
  const stored = await work.put('line-end', lineEnd)
  return slices.flatMap(slice => (open.has(slice) ? [slice, stored] : [slice]))
}

const resolvePart = (
  part: ReturnType<typeof planParts>[number],
  sources: readonly { source: SourceObject }[],
): ResolvedPart => ({
  partNumber: part.partNumber,
  kind: part.kind,
  bytes: part.bytes,
  ranges: (part.kind === 'copy' ? [part.range] : part.ranges).map(({ source: index, ...range }) => {
    const found = sources[index]
    if (!found) throw new Error(`The plan names source ${index} of ${sources.length}`)
    return { source: found.source, ...range }
  }),
})

/** Stores the conversions once. `converted`: their results, when all of them exist. */
const planConversion = async (
  { slices, fileId, to }: { slices: SourceObject[]; fileId: number; to: 'gzip' | 'plain' },
  work: WorkPlace,
) => {
  const known = await work.read('conversion.json', conversionRecord)
  if (known) {
    const converted = await work.list('converted/')
    const isDone = converted.size === known.count
    // Their names are padded numbers, so the listing is in order.
    return { ...known, converted: isDone ? [...converted.values()] : undefined }
  }
  const tooLarge = to === 'plain' ? slices.find(({ bytes }) => bytes > MAX_EXPANDED_SLICE_BYTES) : undefined
  if (tooLarge) {
    throw new UserError(
      'export.sliceTooLarge',
      `The slice ${tooLarge.key} has ${tooLarge.bytes} compressed bytes; at most ${MAX_EXPANDED_SLICE_BYTES} can be ` +
        'expanded. Export with "gzip": true.',
    )
  }
  const conversions = cutConversions(slices, to)
  await pMap(
    conversions,
    (ranges, index) => {
      const part = { partNumber: index + 1, kind: 'assemble' as const, bytes: 0, ranges }
      return work.write(`conversions/${index + 1}.json`, writeRangeRecord([part], work))
    },
    { concurrency: WRITES_IN_PARALLEL },
  )
  const record = {
    fileId,
    to,
    count: conversions.length,
    bytes: slices.reduce((sum, { bytes }) => sum + bytes, 0),
    ranges: conversions.map((_, index) => ({ from: index + 1, to: index + 1 })),
  }
  await work.write('conversion.json', record)
  return { ...record, converted: undefined }
}

/** Stores the header as an object below the work prefix, so that it is a source like any other. */
const writeHeader = (columns: string[], to: 'gzip' | 'plain', work: WorkPlace): Promise<SourceObject> => {
  const line = Buffer.from(formatRecord(columns))
  return work.put('header', to === 'gzip' ? gzipSync(line) : line)
}

const headerColumns = async (input: ExportInput, work: WorkPlace): Promise<string[] | undefined> => {
  if (!('tableId' in input)) return input.columns
  if ('header' in input && !input.header) return undefined
  const request = await work.read('request.json', requestRecord)
  if (!request) throw new Error('The export of the table was not requested by this execution')
  return request.columns
}

const describeObject = ({ destination }: ExportInput, to: 'gzip' | 'plain', form: string) => {
  const { bucket, key, contentType, contentDisposition } = destination
  const name = key.slice(key.lastIndexOf('/') + 1) || 'export'
  return {
    bucket,
    key,
    contentType: contentType ?? (to === 'gzip' ? 'application/gzip' : typeOf(form)),
    contentDisposition: contentDisposition ?? attachment(name),
  }
}

const typeOf = (form: string): string =>
  form === 'in Parquet'
    ? 'application/vnd.apache.parquet'
    : /^(text|compressed with gzip)$/.test(form)
      ? 'text/csv; charset=utf-8'
      : 'application/octet-stream'

/** RFC 6266: a plain name for old clients, and the exact name encoded. */
const attachment = (name: string): string => {
  const plain = name.replaceAll(/[^\w. ()+,=@-]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${exact}`}`
}
