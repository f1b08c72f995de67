import { accessOf, objectArn } from '../auth/access.ts'
import type { AccessRequest } from '../auth/policy.ts'
import { type ChecksumAlgorithm, startDigests } from '../body/checksums.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import type { ByteRange } from '../http/byte-range.ts'
import { evaluatePreconditions } from '../http/preconditions.ts'
import { decode, type S3Request } from '../http/s3-request.ts'
import type { S3Context } from '../operation.ts'
import { readSlices } from '../storage/read-slices.ts'
import type { NewContent, StoredVersion } from '../storage/stored-object.ts'
import { findObject } from './find-object.ts'
import { checkVersionId } from './request-arguments.ts'

interface CopySource {
  bucket: string
  key: string
  versionId: string | undefined
}

/** Reads `x-amz-copy-source`: `[/]bucket/key[?versionId=...]`, URL-encoded (so `+` is a space). */
export const readCopySource = ({ headers }: S3Request): CopySource => {
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
  if (evaluatePreconditions(request.headers, version, 'x-amz-copy-source-') !== 'ok')
    throw new S3Error('PreconditionFailed')
  return version
}

// S3 API Reference, CopyObject and UploadPartCopy: larger objects are copied part by part.
const mostBytes = 5 * 1024 ** 3

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
  if (size > mostBytes)
    throw new S3Error(
      'InvalidRequest',
      `The copy source is larger than the largest that is copied at once: ${mostBytes}`,
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
