import { ownersAcl } from '../account.ts'
import { accessOf, bucketArn, onObjectOrVersion } from '../auth/access.ts'
import type { Checksums } from '../body/checksums.ts'
import { S3Error } from '../errors.ts'
import { type ByteRange, parseRange } from '../http/byte-range.ts'
import { describeObject, storedHeaders } from '../http/object-description.ts'
import { isUnmodified } from '../http/preconditions.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { asHeader, queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import { readSlices } from '../storage/read-slices.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { checksumHeaders, nameOf } from './commit-object.ts'
import { mostParts, readNumber, readVersionId } from './request-arguments.ts'

// A presigned URL may override what the description says.
const query = ['versionId', 'partNumber', ...storedHeaders.map(name => `response-${name}`)]

export const getObject: Operation = {
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
  query,
  access: onObjectOrVersion('s3:GetObject'),
  run: (request, context) => readObject(request, context).reply,
}

/**
 * The object, or the version of it, that a read names.
 *
 * Throws NoSuchBucket, NoSuchKey, NoSuchVersion, and MethodNotAllowed for a delete marker named by its id. A caller who
 * may not list the key must not learn whether it exists and gets AccessDenied (S3 API Reference, GetObject,
 * "Permissions").
 */
export const findObject = (
  request: S3Request,
  { store, isAllowed }: S3Context,
  { bucket, key, versionId }: { bucket: string; key: string; versionId: string | undefined },
): StoredVersion => {
  store.buckets.get(bucket)
  const version = store.objects.find(bucket, key, versionId)
  if (version !== undefined && !version.isDeleteMarker) return version

  const marker = version && { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId }
  if (versionId !== undefined && marker !== undefined)
    throw new S3Error('MethodNotAllowed', undefined, {}, { ...marker, allow: 'DELETE' })
  const list = accessOf(request, 's3:ListBucket', bucketArn(bucket))
  // Who may list the keys that begin with this one learns nothing new.
  const listKey = { ...list, context: { ...list.context, 's3:prefix': key } }
  if (![list, listKey].some(access => isAllowed(request.caller.principal, access)))
    throw new S3Error('AccessDenied')
  if (versionId !== undefined)
    throw new S3Error('NoSuchVersion', undefined, { Key: key, VersionId: versionId })
  throw new S3Error('NoSuchKey', undefined, { Key: key }, marker)
}

const findVersion = (request: S3Request, context: S3Context): StoredVersion => {
  const { bucket, key } = request
  return findObject(request, context, { bucket, key, versionId: readVersionId(request) })
}

const readObject = (
  request: S3Request,
  context: S3Context,
): { version: StoredVersion; range: ByteRange | undefined; reply: Reply } => {
  const version = findVersion(request, context)
  const always = {
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.modified).toUTCString(),
    'accept-ranges': 'bytes',
    'x-amz-version-id': nameOf(version.versionId),
  }
  if (isUnmodified(request.headers, version))
    return { version, range: undefined, reply: { status: 304, headers: always } }

  const part = readPart(request, context, version)
  const range = part?.range ?? parseRange(request.headers['range'], version.size)
  const wantsChecksum = request.headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED'
  const headers = {
    ...describeObject(version.description),
    ...always,
    // Of the whole object or of one part; clients would compare it with any other range.
    ...(wantsChecksum && (part || !range) ? checksumHeaders(version.description, part?.checksums) : {}),
    'x-amz-mp-parts-count': part?.count,
    'content-range': range && `bytes ${range.first}-${range.last}/${version.size}`,
    'content-length': String(range ? range.last - range.first + 1 : version.size),
    ...readOverrides(request),
  }
  return { version, range, reply: { status: range ? 206 : 200, headers } }
}

/** The part that the request asks for by its number. */
const readPart = (
  request: S3Request,
  { store }: S3Context,
  { holder, etag }: StoredVersion,
): { range: ByteRange | undefined; count: string | undefined; checksums: Checksums } | undefined => {
  if (queryValue(request, 'partNumber') === undefined) return undefined
  if (request.headers['range'] !== undefined)
    throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  const number = readNumber(request, 'partNumber', { least: 1, most: mostParts })
  const part = store.parts.get(holder, number)
  if (part === undefined) throw new S3Error('InvalidPartNumber', undefined, { PartNumber: String(number) })
  return {
    checksums: part.checksums,
    range: part.size === 0 ? undefined : { first: part.start, last: part.start + part.size - 1 },
    // S3 counts parts only where there was a multipart upload.
    count: etag.includes('-') ? String(store.parts.count(holder)) : undefined,
  }
}

const readOverrides = (request: S3Request): Record<string, string> =>
  Object.fromEntries(
    storedHeaders.flatMap(name => {
      const value = queryValue(request, `response-${name}`)
      return value === undefined ? [] : [[name, asHeader(`response-${name}`, value)]]
    }),
  )

/** What is the same of every object here: tools ask for it, and nobody can change it. */
const fixedPart = (part: 'Acl' | 'Tagging', root: string, content: XmlNode): Operation => ({
  query: ['versionId'],
  access: onObjectOrVersion('s3:GetObject', part),
  run: (request, context) => {
    const { versionId } = findVersion(request, context)
    return xmlReply(root, content, { 'x-amz-version-id': nameOf(versionId) })
  },
})

export const getObjectAcl = fixedPart('Acl', 'AccessControlPolicy', ownersAcl)

export const getObjectTagging = fixedPart('Tagging', 'Tagging', { TagSet: {} })
