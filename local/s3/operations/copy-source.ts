import { createHash } from 'node:crypto'
import { accessOf, objectArn } from '../auth/access.ts'
import type { AccessRequest } from '../auth/policy.ts'
import { type ChecksumAlgorithm, startChecksum } from '../body/checksums.ts'
import { invalidArgument } from '../errors.ts'
import type { ByteRange } from '../http/byte-range.ts'
import { checkCopyPreconditions, readPreconditions } from '../http/preconditions.ts'
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
  const decoded = decode(path.replaceAll('+', ' ')).replace(/^\//, '')
  if (versionId !== undefined) checkVersionId(versionId)
  const slash = decoded.indexOf('/')
  if (slash <= 0 || slash === decoded.length - 1)
    throw invalidArgument(
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      'x-amz-copy-source',
      header,
    )
  return { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1), versionId }
}

export const toReadSource = (request: S3Request): AccessRequest => {
  const { bucket, key, versionId } = readCopySource(request)
  return accessOf(
    request,
    versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion',
    objectArn(bucket, key),
  )
}

/** The source of a copy, once its conditions (`x-amz-copy-source-if-*`) hold. */
export const findCopySource = (request: S3Request, context: S3Context): StoredVersion => {
  const version = findObject(request, context, readCopySource(request))
  checkCopyPreconditions(readPreconditions(request.headers, 'x-amz-copy-source-'), version)
  return version
}

/**
 * The bytes of the range as content of a new part or object, sharing the source's files; nothing is written.
 *
 * MD5 and checksum are known when the range is one whole part of the source; otherwise the bytes are read once. The files
 * are kept until `release`: call it when the content is committed or given up.
 */
export const shareContent = async (
  { store }: S3Context,
  source: StoredVersion,
  range: ByteRange | undefined,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<{ content: NewContent; release: () => void }> => {
  const { first, last } = range ?? { first: 0, last: source.size - 1 }
  const size = last - first + 1
  const slices = store.parts.slices(source.holder, first, last)
  const release = store.files.hold(slices.map(({ file }) => file))
  try {
    const known = store.parts.findExact(source.holder, first, size)
    if (known !== undefined && (algorithm === undefined || known.checksums[algorithm] !== undefined))
      return { content: { size, md5: known.etag, checksums: known.checksums, slices, newFiles: [] }, release }
    const md5 = createHash('md5')
    const checksum = algorithm && startChecksum(algorithm)
    for await (const bytes of readSlices(store.files, slices).bytes) {
      md5.update(bytes)
      checksum?.update(bytes)
    }
    const value = await checksum?.digest()
    const checksums = algorithm === undefined || value === undefined ? {} : { [algorithm]: value }
    return { content: { size, md5: md5.digest('hex'), checksums, slices, newFiles: [] }, release }
  } catch (error) {
    release()
    throw error
  }
}
