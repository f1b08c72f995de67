import { gunzipSync, gzipSync, constants as zlib } from 'node:zlib'
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import pMap from 'p-map'
import * as z from 'zod/mini'
import { listObjects } from '../../cloud/list-objects.ts'
import { readBlocks } from '../../cloud/multipart/read-blocks.ts'
import { readRange, type SourceObject } from '../../cloud/multipart/source-object.ts'
import { UserError } from '../../errors/errors.ts'
import { readJson } from '../../json/read-json.ts'
import {
  type FileForm,
  FORM_BYTES,
  formOf,
  lacksLineEnd,
  nameOfForm,
  refusedJoin,
  refusedMarks,
} from '../../table-engine/csv/file-forms.ts'
import { gunzip } from '../../table-engine/csv/gunzip.ts'

const HEADS_IN_PARALLEL = 32

/** Where a file is. The key of a sliced file is the prefix of its slices and of its manifest. */
export interface FilePlace {
  s3: S3Client
  bucket: string
  key: string
  isSliced: boolean
}

/** The error for a slice that is not there. */
type Missing = (key: string, cause: Error) => UserError

/**
 * The slices of a file in the order of its manifest, each pinned to its content. A file that is not sliced is one
 * slice.
 *
 * Sizes come from listing the file's prefix, a thousand at a time. Where the credentials may not list, or the listing
 * lacks a slice, the slice itself is asked. Errors: those of the manifest, and `missing` (default `storage.sliceMissing`).
 */
export const listSlices = async (
  place: FilePlace,
  missing: Missing = sliceMissing,
): Promise<SourceObject[]> => describeEntries(place, await entriesOf(place), missing)

/** {@link listSlices}, or `undefined` when there are more slices. */
export const listFewSlices = async (
  place: FilePlace,
  atMost: number,
): Promise<SourceObject[] | undefined> => {
  const entries = await entriesOf(place)
  return entries.length > atMost ? undefined : describeEntries(place, entries, sliceMissing)
}

/** Where the slices of a file are, in the order of its manifest; one that is not sliced is one. Errors: those of the manifest. */
export const entriesOf = async ({ s3, bucket, key, isSliced }: FilePlace): Promise<ManifestEntry[]> =>
  isSliced ? readManifest(s3, bucket, key) : [{ bucket, key }]

const describeEntries = async (
  { s3, bucket, key, isSliced }: FilePlace,
  entries: ManifestEntry[],
  missing: Missing,
): Promise<SourceObject[]> => {
  const listed = isSliced ? await listPrefix({ s3, bucket, key }) : new Map<string, SourceObject>()
  return pMap(
    entries,
    entry => listed.get(entry.key) ?? describe({ s3, bucket: entry.bucket, key: entry.key }, missing),
    { concurrency: HEADS_IN_PARALLEL },
  )
}

type Place = Pick<SourceObject, 's3' | 'bucket' | 'key'>

const listPrefix = async ({ s3, bucket, key }: Place): Promise<Map<string, SourceObject>> => {
  const listed = new Map<string, SourceObject>()
  try {
    for await (const { key: slice, etag, bytes } of listObjects(s3, { bucket, prefix: key }))
      listed.set(slice, { s3, bucket, key: slice, etag, bytes })
  } catch (error) {
    const isForbidden = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403
    if (!isForbidden) throw error
  }
  return listed
}

const describe = async ({ s3, bucket, key }: Place, missing: Missing): Promise<SourceObject> => {
  try {
    const { ETag, ContentLength } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))
    if (ETag === undefined || ContentLength === undefined) throw new Error('S3 sent no ETag or no length')
    return { s3, bucket, key, etag: ETag, bytes: ContentLength }
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    throw missing(key, error)
  }
}

const sliceMissing: Missing = (key, cause) =>
  new UserError(
    'storage.sliceMissing',
    `The file has no object ${key}. Upload it, and the manifest after it, then export again.`,
    { cause },
  )

/** Whether the content is gzip, by its first bytes: names are not reliable. */
export const isGzip = async (slices: readonly SourceObject[]): Promise<boolean> =>
  (await kindOf(slices)) === 'gzip'

interface JoinedSlices {
  /** What the file is; see `nameOfForm`. */
  form: string
  /** Slices of text whose last record has no line end: those after them would run into it. */
  open: Set<SourceObject>
  /** A line end in the form of the slices, which goes behind each that is open. */
  lineEnd: Buffer
}

interface Joining {
  /** A line of text goes before the slices. */
  hasHeader: boolean
  /** A service wrote the slices, which ends each line: what is compressed need not be expanded to see that. */
  isExport: boolean
}

/** What one step can expand within its time, at some 60 MB of gzip a second. */
const MOST_EXPANDED_BYTES = 24 * 1024 ** 3

/**
 * The file that the bytes of all slices after each other make. Looks at each slice, and expands those of gzip but the last.
 *
 * Throws `UserError` `storage.slicesNotJoined` when they make none: no byte may be written then.
 */
export const joinedForm = async (
  slices: readonly SourceObject[],
  { hasHeader, isExport }: Joining,
): Promise<JoinedSlices> => {
  const heads = new Map<SourceObject, Buffer>()
  const forms = await pMap(
    slices,
    async slice => {
      const head = await headOf([slice], FORM_BYTES)
      const expanded = formOf(head).kind === 'gzip' ? expandedHead(head) : undefined
      heads.set(slice, expanded ?? head)
      return head.length === 0 ? undefined : nameOfForm(head, expanded)
    },
    { concurrency: HEADS_IN_PARALLEL },
  )
  const refused =
    refusedJoin(forms, hasHeader) ??
    refusedMarks(
      slices.map(slice => heads.get(slice)),
      hasHeader,
    )
  if (refused !== undefined) throw notJoined(refused)

  const form = forms.find(known => known !== undefined) ?? 'text'
  const isPacked = form === 'compressed with gzip'
  const isFilled = (slice: SourceObject): boolean =>
    slice.bytes > FORM_BYTES || heads.get(slice)?.length !== 0
  const before = slices.filter(isFilled).slice(0, -1)
  const looked = form === 'text' || (isPacked && !isExport) ? before : []
  if (isPacked && looked.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_EXPANDED_BYTES)
    throw notJoined(`they have more than ${MOST_EXPANDED_BYTES} compressed bytes to look for line ends in`)
  const open = new Set<SourceObject>()
  await pMap(
    looked,
    async slice => {
      const lastByte = await (isPacked ? lastByteExpanded(slice) : lastByteOf(slice))
      if (lastByte !== undefined && lacksLineEnd(heads.get(slice) ?? Buffer.alloc(0), lastByte))
        open.add(slice)
    },
    { concurrency: isPacked ? EXPANDED_IN_PARALLEL : HEADS_IN_PARALLEL },
  )
  const lineEnd = Buffer.from('\n')
  return { form, open, lineEnd: isPacked ? gzipSync(lineEnd) : lineEnd }
}

const notJoined = (reason: string): UserError =>
  new UserError(
    'storage.slicesNotJoined',
    `The slices cannot be put together: ${reason}. Nothing was written. Download them one by one into a folder (\`millrace download FILE --slices\`), or load the file into a table and export that.`,
  )

const lastByteOf = async (source: SourceObject): Promise<number | undefined> => {
  const last = Buffer.alloc(1)
  await readRange({ source, firstByte: source.bytes - 1, lastByte: source.bytes - 1 }, last)
  return last[0]
}

const EXPANDED_IN_PARALLEL = 2
const EXPANDED_BLOCK_BYTES = 4 * 1024 ** 2

/** `undefined`: the content is empty. */
const lastByteExpanded = async (source: SourceObject): Promise<number | undefined> => {
  const whole = [{ source, firstByte: 0, lastByte: source.bytes - 1 }]
  const packed = readBlocks(whole, { blockBytes: EXPANDED_BLOCK_BYTES, isReused: true })
  // Whoever wrote the bomb reads it, too.
  const options = { maxUncompressedBytes: Number.POSITIVE_INFINITY, isPadded: false }
  let last: number | undefined
  try {
    for await (const bytes of gunzip(packed, `The slice ${source.key}`, options)) last = bytes.at(-1)
  } catch (cause) {
    const isBroken = cause instanceof UserError && cause.code === 'invalidCsv'
    throw isBroken ? new UserError('storage.slicesNotJoined', cause.message, { cause }) : cause
  }
  return last
}

/** Of gzip that goes on after these bytes. */
const expandedHead = (head: Buffer): Buffer | undefined => {
  try {
    return gunzipSync(head, { finishFlush: zlib.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
}

/** Whether the content names its columns, and cannot be cut at its records: Parquet and JSON. */
export const nameColumns = async (slices: readonly SourceObject[]): Promise<boolean> =>
  ['Parquet', 'JSON', 'JSON lines'].includes(await kindOf(slices, expandedHead))

/** The first slice that holds something speaks for all. */
const kindOf = async (
  slices: readonly SourceObject[],
  expand?: (head: Buffer) => Buffer | undefined,
): Promise<FileForm['kind']> => {
  const head = await headOf(
    slices.filter(({ bytes }) => bytes > 0),
    FORM_BYTES,
  )
  const { kind } = formOf(head)
  const expanded = kind === 'gzip' ? expand?.(head) : undefined
  return expanded === undefined ? kind : formOf(expanded).kind
}

/** Of the first slice. */
const headOf = async ([source]: readonly SourceObject[], bytes: number): Promise<Buffer> => {
  const head = Buffer.alloc(Math.min(bytes, source?.bytes ?? 0))
  if (source && head.length > 0) await readRange({ source, firstByte: 0, lastByte: head.length - 1 }, head)
  return head
}

/** See docs/reference/storage-api.md#sliced-files. Other keys, which clients add, are ignored. */
const manifestSchema = z.object({ entries: z.array(z.object({ url: z.string() })) })

/** Where a slice is. */
interface ManifestEntry {
  bucket: string
  key: string
}

/** Room for more than a hundred thousand slices: an entry has about 150 bytes. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024

/**
 * The slices of a sliced file, in the order of its manifest at `<key>manifest`.
 *
 * Errors: `storage.manifestFileMissing`, `storage.manifestFileInvalid`, and `storage.unauthorizedAccess` for a manifest
 * that names anything outside the file's own prefix. Its author could otherwise read whatever the service can read.
 */
const readManifest = async (s3: S3Client, bucket: string, key: string): Promise<ManifestEntry[]> => {
  const parsed = manifestSchema.safeParse(readJson(await readText(s3, bucket, `${key}manifest`)))
  if (!parsed.success) throw invalid('it must be JSON of the form {"entries":[{"url":"s3://…"}]}')
  return parsed.data.entries.map(({ url }) => {
    const prefix = `s3://${bucket}/${key}`
    if (!url.startsWith(prefix))
      throw new UserError(
        'storage.unauthorizedAccess',
        `The manifest names "${url.slice(0, 300)}", which lies outside the file. Slices lie below "${prefix}".`,
      )
    return { bucket, key: url.slice(`s3://${bucket}/`.length) }
  })
}

const readText = async (s3: S3Client, bucket: string, key: string): Promise<string> => {
  try {
    const { Body, ContentLength = 0 } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    if (ContentLength > MAX_MANIFEST_BYTES) throw invalid(`it is larger than ${MAX_MANIFEST_BYTES} bytes`)
    return (await Body?.transformToString()) ?? ''
  } catch (error) {
    if (!(error instanceof NoSuchKey)) throw error
    throw new UserError(
      'storage.manifestFileMissing',
      'The manifest of the sliced file was not uploaded. Upload it, after the slices, to the file’s key with "manifest" appended.',
      { cause: error },
    )
  }
}

const invalid = (reason: string) =>
  new UserError('storage.manifestFileInvalid', `The manifest of the sliced file cannot be read: ${reason}.`)
