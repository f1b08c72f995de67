import { toWriteObject } from '../auth/access.ts'
import { readAlgorithm } from '../body/checksums.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { describeChecksum, readDescription } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { ObjectDescription, StoredVersion } from '../storage/stored-object.ts'
import { checkBeforeWrite, commitContent, nameOf, writtenHeaders } from './commit-object.ts'
import { findCopySource, readCopySource, shareContent, toReadSource } from './copy-source.ts'

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
