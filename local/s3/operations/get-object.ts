import { onObjectOrVersion } from '../auth/access.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type ByteRange, parseRange } from '../http/byte-range.ts'
import { describeObject } from '../http/object-description.ts'
import { evaluatePreconditions, readPreconditions } from '../http/preconditions.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { bucketOf, hasControls, keyOf, queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import { readSlices } from '../storage/read-slices.ts'
import type { StoredPart, StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { ownersAcl } from './bucket-settings.ts'
import { checksumHeaders, versionHeaders } from './commit-object.ts'
import { findObject } from './find-object.ts'
import { readVersionId } from './request-arguments.ts'

/** `response-content-type` and the like: reply headers that a presigned URL may override. */
const overrides = [
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
]

const query = ['versionId', 'partNumber', ...overrides]

export const getObject: Operation = {
  name: 'GetObject',
  query,
  access: onObjectOrVersion('s3:GetObject'),
  run: (request, context) => {
    const { version, range, reply } = readObject(request, context)
    if (reply.status === 304 || version.size === 0) return reply
    const { first, last } = range ?? { first: 0, last: version.size - 1 }
    const slices = context.store.parts.slices(version.holder, first, last)
    return { ...reply, body: readSlices(context.store.files, slices) }
  },
}

export const headObject: Operation = {
  name: 'HeadObject',
  query,
  access: onObjectOrVersion('s3:GetObject'),
  run: (request, context) => readObject(request, context).reply,
}

const readObject = (
  request: S3Request,
  context: S3Context,
): { version: StoredVersion; range: ByteRange | undefined; reply: Reply } => {
  const version = findObject(request, context, {
    bucket: bucketOf(request),
    key: keyOf(request),
    versionId: readVersionId(request),
  })
  const always = {
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.modified).toUTCString(),
    'accept-ranges': 'bytes',
    ...versionHeaders(version),
  }
  const result = evaluatePreconditions(readPreconditions(request.headers), version)
  if (result.kind === 'failed')
    throw new S3Error('PreconditionFailed', undefined, { Condition: result.condition })
  if (result.kind === 'unmodified')
    return { version, range: undefined, reply: { status: 304, headers: always } }

  const part = readPartNumber(request, context, version)
  const range = part?.range ?? parseRange(request.headers['range'], version.size)
  const isWhole = range === undefined
  const wantsChecksum = request.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED'
  const headers = {
    ...describeObject(version.description),
    ...always,
    // Of the whole object or of one part; clients would compare it with any other range.
    ...(wantsChecksum && (part || isWhole) ? checksumHeaders(version.description, part?.checksums) : {}),
    ...(part?.count === undefined ? {} : { 'x-amz-mp-parts-count': String(part.count) }),
    ...(isWhole ? {} : { 'content-range': `bytes ${range.first}-${range.last}/${version.size}` }),
    'content-length': String(isWhole ? version.size : range.last - range.first + 1),
    ...readOverrides(request),
  }
  return { version, range, reply: { status: isWhole ? 200 : 206, headers } }
}

const readPartNumber = (
  request: S3Request,
  { store }: S3Context,
  version: StoredVersion,
):
  | { range: ByteRange | undefined; count: number | undefined; checksums: StoredPart['checksums'] }
  | undefined => {
  const partNumber = queryValue(request, 'partNumber')
  if (partNumber === undefined) return undefined
  if (request.headers['range'] !== undefined)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  if (!/^[1-9]\d{0,4}$/.test(partNumber))
    throw invalidArgument('Part number must be an integer between 1 and 10000', 'partNumber', partNumber)
  const part = store.parts.get(version.holder, Number(partNumber))
  if (part === undefined) throw new S3Error('InvalidPartNumber', undefined, { PartNumber: partNumber })
  return {
    checksums: part.checksums,
    range: part.size === 0 ? undefined : { first: part.start, last: part.start + part.size - 1 },
    // S3 counts parts only where there was a multipart upload.
    count: version.etag.includes('-') ? store.parts.count(version.holder) : undefined,
  }
}

const readOverrides = (request: S3Request): Record<string, string> =>
  Object.fromEntries(
    overrides.flatMap(name => {
      const value = queryValue(request, name)
      if (value === undefined) return []
      if (hasControls(value)) throw invalidArgument('Header value is not valid', name, value)
      // In a header each byte is a character.
      return [[name.slice('response-'.length), Buffer.from(value).toString('latin1')]]
    }),
  )

/** What is the same of every object here: tools ask for it, and nobody can change it. */
const fixedPart = (part: 'Acl' | 'Tagging', answer: { root: string; content: XmlNode }): Operation => ({
  name: `GetObject${part}`,
  query: ['versionId'],
  access: request =>
    onObjectOrVersion('s3:GetObject')(request).map(access => ({
      ...access,
      action: `${access.action}${part}`,
    })),
  run: (request, context) => {
    const version = findObject(request, context, {
      bucket: bucketOf(request),
      key: keyOf(request),
      versionId: readVersionId(request),
    })
    return xmlReply(answer.root, answer.content, versionHeaders(version))
  },
})

export const getObjectAcl = fixedPart('Acl', ownersAcl)

export const getObjectTagging = fixedPart('Tagging', { root: 'Tagging', content: { TagSet: {} } })
