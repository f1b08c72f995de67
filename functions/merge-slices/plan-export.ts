import { gzipSync } from 'node:zlib'
import pMap from 'p-map'
import { z } from 'zod'
import type { ObjectRange, SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { hexDigest } from '../lib/digests.ts'
import { joinedForm, listSlices } from '../lib/storage/files/list-slices.ts'
import { formatRecord } from '../lib/table-engine/csv/format-records.ts'
import { cutRanges } from './cut-ranges.ts'
import { type ExportInput, type NumberRange, numberRange } from './event.ts'
import { openUpload } from './open-upload.ts'
import { planParts } from './plan-parts.ts'
import { type MergeSlicesServices, openFile } from './services.ts'
import type { WorkPlace } from './work-place.ts'

/** `request.json`: the requested columns, in this order. */
const requestRecord = z.object({ columns: z.array(z.string()) })

/**
 * Starts the export of a table. Resolves to its job.
 *
 * The columns are stored first, and exactly these are exported. So the header fits the data even if a column is added
 * in between.
 */
export const requestExport = async (
  { storage }: MergeSlicesServices,
  { input, execution }: { input: Extract<ExportInput, { tableId: string }>; execution: string },
  work: WorkPlace,
): Promise<number> => {
  const known = await work.read('request.json', requestRecord)
  const columns = known?.columns ?? input.columns ?? (await storage.table(input.tableId)).columns
  if (!known) await work.write('request.json', { columns })
  const { tableId, gzip } = input
  const job = await storage.exportTable({ tableId, gzip, columns }, hexDigest(`export ${execution}`))
  return job.id
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
  ranges: z.array(numberRange),
})

/** `parts/<from>.json`: the parts of one invocation. Sources below the work prefix are read with our own rights, others as the file. */
export const partsRecord = z.array(
  z.object({
    partNumber: z.number(),
    kind: z.enum(['copy', 'assemble']),
    bytes: z.number(),
    ranges: z.array(
      z.object({
        source: z.object({ bucket: z.string(), key: z.string(), etag: z.string(), bytes: z.number() }),
        firstByte: z.number(),
        lastByte: z.number(),
      }),
    ),
  }),
)

/** A part whose sources can be read. */
export interface ResolvedPart extends Omit<z.infer<typeof partsRecord>[number], 'ranges'> {
  ranges: ObjectRange[]
}

const WRITES_IN_PARALLEL = 8

/**
 * Plans the parts of the destination from the slices of a file, and stores the plan for the steps that make them. Resolves to
 * the parts of each invocation.
 *
 * Errors: those of the manifest, `storage.slicesNotJoined`, `multipart.tooLarge`, `export.destinationForbidden`.
 */
export const planExport = async (
  services: MergeSlicesServices,
  { input, fileId }: { input: ExportInput; fileId: number },
  work: WorkPlace,
): Promise<NumberRange[]> => {
  const planned = await work.read('plan.json', planRecord)
  if (planned) return planned.ranges

  const file = await openFile(fileId, services)
  const slices = await listSlices(file)
  const columns = await headerColumns(input, work)
  const { form, open, lineEnd } = await joinedForm(slices, {
    hasHeader: columns !== undefined,
    isExport: 'tableId' in input,
  })
  const isEmpty = slices.every(({ bytes }) => bytes === 0)
  const isGzip = isEmpty ? 'tableId' in input && input.gzip : form.endsWith('compressed with gzip')
  const own = async (name: string, bytes: Buffer) => ({ source: await work.put(name, bytes), canCopy: false })
  // Objects below the work prefix, so that they are sources like any other.
  const header = columns && (await own('header', headerOf(columns, isGzip)))
  const end = open.size > 0 ? await own('line-end', lineEnd) : undefined
  const sources = [
    ...(header ? [header] : []),
    ...slices.flatMap(source => [
      { source, canCopy: file.canCopy },
      ...(end && open.has(source) ? [end] : []),
    ]),
  ]
  const parts = planParts(sources.map(({ source: { bytes }, canCopy }) => ({ bytes, canCopy }))).map(
    part => ({
      ...part,
      ranges: part.ranges.map(range => ({ ...range, source: sourceAt(sources, range.source) })),
    }),
  )
  const ranges = cutRanges(parts)
  await pMap(
    ranges,
    // Read by its schema, a part has no client any more.
    ({ from, to }) => work.write(`parts/${from}.json`, partsRecord.parse(parts.slice(from - 1, to))),
    { concurrency: WRITES_IN_PARALLEL },
  )

  const { bucket, key, overwrite } = input.destination
  const uploadId = await openUpload({ s3: services.s3, ...describeObject(input, isGzip, form) }, work)
  const assembled = parts.filter(({ kind }) => kind === 'assemble')
  const sumOf = (list: { bytes: number }[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0)
  await work.write('plan.json', {
    fileId,
    destination: { bucket, key },
    overwrite,
    uploadId,
    bytes: sumOf(parts),
    parts: { copied: parts.length - assembled.length, assembled: assembled.length },
    bytesThroughFunctions: sumOf(assembled),
    ranges,
  } satisfies typeof planRecord._output)
  return ranges
}

const sourceAt = (sources: readonly { source: SourceObject }[], index: number): SourceObject => {
  const found = sources[index]
  if (!found) throw new Error(`The plan names source ${index} of ${sources.length}`)
  return found.source
}

const headerOf = (columns: string[], isGzip: boolean): Buffer => {
  const line = Buffer.from(formatRecord(columns))
  return isGzip ? gzipSync(line) : line
}

const headerColumns = async (input: ExportInput, work: WorkPlace): Promise<string[] | undefined> => {
  if (!('tableId' in input)) return input.columns
  if (!input.header) return undefined
  const request = await work.read('request.json', requestRecord)
  if (!request) throw new Error('The export of the table was not requested by this execution')
  return request.columns
}

const describeObject = ({ destination }: ExportInput, isGzip: boolean, form: string) => {
  const { bucket, key, contentType, contentDisposition } = destination
  const name = key.slice(key.lastIndexOf('/') + 1) || 'export'
  return {
    bucket,
    key,
    contentType: contentType ?? (isGzip ? 'application/gzip' : typeOf(form)),
    contentDisposition: contentDisposition ?? attachment(name),
  }
}

const typeOf = (form: string): string => {
  if (form === 'in Parquet') return 'application/vnd.apache.parquet'
  return form === 'text' ? 'text/csv; charset=utf-8' : 'application/octet-stream'
}

/** RFC 6266: a plain name for old clients, and the exact name encoded. */
const attachment = (name: string): string => {
  const plain = name.replaceAll(/[^\w. ()+,=@-]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${exact}`}`
}
