import { toWriteObject } from '../auth/access.ts'
import { type ChecksumAlgorithm, isChecksumAlgorithm } from '../body/checksums.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { readDescription } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { ObjectDescription, StoredVersion } from '../storage/stored-object.ts'
import {
  checkBeforeWrite,
  commitContent,
  describeChecksum,
  encryptionHeaders,
  versionHeaders,
} from './commit-object.ts'
import { findCopySource, readCopySource, shareContent, toReadSource } from './copy-source.ts'
import { describeChecksums } from './multipart-uploads.ts'

// S3 API Reference, CopyObject: larger objects are copied part by part.
const mostBytes = 5 * 1024 ** 3

/** Copies an object in one piece, without writing its bytes again. */
export const copyObject: Operation = {
  name: 'CopyObject',
  access: request => [...toWriteObject(request), toReadSource(request)],
  run: async (request, context) => {
    checkBeforeWrite(request, context)
    const source = findCopySource(request, context)
    if (source.size > mostBytes)
      throw new S3Error(
        'InvalidRequest',
        `The specified copy source is larger than the maximum allowable size for a copy source: ${mostBytes}`,
      )
    const description = describeCopy(request, source)
    checkSelfCopy(request, source, description)

    const { content, release } = await shareContent(
      context,
      source,
      undefined,
      readAlgorithm(request, source),
    )
    try {
      const version = await commitContent(request, context, {
        content,
        description: { ...description, ...describeChecksum(content) },
        reason: 'CopyObject',
      })
      return xmlReply(
        'CopyObjectResult',
        {
          LastModified: new Date(version.modified).toISOString(),
          ETag: `"${version.etag}"`,
          ...describeChecksums(content.checksums),
          ChecksumType: version.description.checksum?.type,
        },
        {
          ...versionHeaders(version),
          ...encryptionHeaders(version.description),
          ...(source.versionId === 'null' ? {} : { 'x-amz-copy-source-version-id': source.versionId }),
        },
      )
    } finally {
      release()
    }
  },
}

/** The description of the copy: that of the source, unless a directive replaces it by the request's headers. */
const describeCopy = ({ headers }: S3Request, { description }: StoredVersion): ObjectDescription => {
  const { checksum: _, ...source } = description
  const own = readDescription(headers)
  const replaces = readDirective(headers) === 'REPLACE'
  return {
    ...own,
    ...(replaces ? {} : { headers: source.headers, metadata: source.metadata }),
  }
}

const readDirective = (headers: S3Request['headers']): string => {
  const name = 'x-amz-metadata-directive'
  const value = headers[name] ?? 'COPY'
  if (value !== 'COPY' && value !== 'REPLACE') throw invalidArgument('Unknown directive.', name, value)
  return value
}

const checkSelfCopy = (request: S3Request, source: StoredVersion, description: ObjectDescription): void => {
  const from = readCopySource(request)
  const isSelf = from.bucket === bucketOf(request) && from.key === keyOf(request) && source.isLatest
  const changes =
    request.headers['x-amz-metadata-directive'] === 'REPLACE' ||
    (request.headers['x-amz-storage-class'] ?? source.description.storageClass) !==
      source.description.storageClass ||
    description.encryption !== source.description.encryption
  if (isSelf && !changes)
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
}

/** The checksum of the copy: of the requested kind, or of the kind that the source has. */
const readAlgorithm = ({ headers }: S3Request, source: StoredVersion): ChecksumAlgorithm | undefined => {
  const asked = headers['x-amz-checksum-algorithm']?.toUpperCase()
  if (asked === undefined) return source.description.checksum?.algorithm
  if (!isChecksumAlgorithm(asked))
    throw new S3Error(
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with a supported one.',
    )
  return asked
}
