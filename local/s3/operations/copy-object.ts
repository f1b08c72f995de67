import { accessOf, objectArn, toWriteObject } from '../auth/access.ts'
import type { AccessRequest } from '../auth/policy.ts'
import { type ChecksumAlgorithm, readAlgorithm, startDigests } from '../body/checksums.ts'
import { mostBodyBytes } from '../body/receive-body.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { ByteRange } from '../http/byte-range.ts'
import { describeChecksum, readDescription } from '../http/object-description.ts'
import { isUnmodified } from '../http/preconditions.ts'
import { xmlReply } from '../http/reply.ts'
import { decode, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import { readSlices } from '../storage/read-slices.ts'
import type { NewContent, ObjectDescription, StoredVersion } from '../storage/stored-object.ts'
import { checkBeforeWrite, commitContent, nameOf, writtenHeaders } from './commit-object.ts'
import { findObject } from './get-object.ts'
import { checkVersionId } from './request-arguments.ts'

/** Reads `x-amz-copy-source`: `[/]bucket/key[?versionId=...]`, URL-encoded (so `+` is a space). */
const readCopySource = ({ headers }: S3Request) => {
  const header = headers['x-amz-copy-source'] ?? ''
  const [path = '', versionId] = header.split('?versionId=')
  if (versionId !== undefined) checkVersionId(versionId)
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decode(path.replaceAll('+', ' '))) ?? []
  if (bucket === undefined || key === undefined)
    throw invalidArgument('Copy Source must be sourcebucket/sourcekey', 'x-amz-copy-source', header)
  return { bucket, key, versionId }
}

export const toReadSource = (request: S3Request): AccessRequest => {
  const { bucket, key, versionId } = readCopySource(request)
  const action = versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion'
  return accessOf(request, action, objectArn(bucket, key))
}

/** The source of a copy, once its conditions (`x-amz-copy-source-if-*`) hold. */
export const findCopySource = (request: S3Request, context: S3Context): StoredVersion => {
  const version = findObject(request, context, readCopySource(request))
  // There is no 304 for copies.
  if (isUnmodified(request.headers, version, 'x-amz-copy-source-')) throw new S3Error('PreconditionFailed')
  return version
}

/**
 * Uses the bytes of the range as content of a new part or object, sharing the source's files; nothing is written.
 *
 * MD5 and checksum are known when the range is one whole part of the source; otherwise the bytes are read once. The files
 * are kept until `use` is done with them.
 */
export const shareContent = async <Result>(
  { store }: S3Context,
  source: StoredVersion,
  { range, algorithm }: { range?: ByteRange | undefined; algorithm: ChecksumAlgorithm | undefined },
  use: (content: NewContent) => Promise<Result>,
): Promise<Result> => {
  const { first, last } = range ?? { first: 0, last: source.size - 1 }
  const size = last - first + 1
  // S3 API Reference, CopyObject and UploadPartCopy: larger objects are copied part by part.
  if (size > mostBodyBytes)
    throw new S3Error(
      'InvalidRequest',
      `The copy source is larger than the largest that is copied at once: ${mostBodyBytes}`,
    )
  const slices = store.parts.slices(source.holder, first, last)
  const release = store.files.hold(slices.map(({ file }) => file))
  try {
    const known = store.parts.findExact(source.holder, first, size)
    if (known !== undefined && (algorithm === undefined || known.checksums[algorithm] !== undefined))
      return await use({ size, md5: known.etag, checksums: known.checksums, slices, newFiles: [] })
    const digests = startDigests(algorithm)
    for await (const bytes of readSlices(store.files, slices).bytes) digests.update(bytes)
    return await use({ size, ...(await digests.end()), slices, newFiles: [] })
  } finally {
    release()
  }
}

/** Copies an object in one piece, without writing its bytes again. */
export const copyObject: Operation = {
  access: request => [...toWriteObject(request), toReadSource(request)],
  run: async (request, context) => {
    checkBeforeWrite(request, context)
    const source = findCopySource(request, context)
    const description = describeCopy(request, source)
    // Of the requested kind, or of the kind that the source has.
    const asked = readAlgorithm(request.headers['x-amz-checksum-algorithm'])
    const algorithm = asked ?? source.description.checksum?.algorithm
    const version = await shareContent(context, source, { algorithm }, content =>
      commitContent(request, context, { content, description, reason: 'CopyObject' }),
    )
    return xmlReply(
      'CopyObjectResult',
      {
        LastModified: new Date(version.modified).toISOString(),
        ETag: `"${version.etag}"`,
        ...describeChecksum(version.description),
      },
      { ...writtenHeaders(version), 'x-amz-copy-source-version-id': nameOf(source.versionId) },
    )
  },
}

/** The description of the copy: that of the source, unless a directive replaces it by the request's headers. */
const describeCopy = (request: S3Request, source: StoredVersion): ObjectDescription => {
  const { bucket, key, headers } = request
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw invalidArgument('Unknown directive.', 'x-amz-metadata-directive', directive)
  const own = readDescription(headers)
  const from = readCopySource(request)
  const changes = directive === 'REPLACE' || headers['x-amz-server-side-encryption'] !== undefined
  if (from.bucket === bucket && from.key === key && source.isLatest && !changes)
    throw new S3Error(
      'InvalidRequest',
      'A copy of an object to itself must change its metadata or encryption.',
    )
  const { headers: stored, metadata } = source.description
  return directive === 'REPLACE' ? own : { headers: stored, metadata }
}
