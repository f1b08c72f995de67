import { toContinueUpload } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { parseCopyRange } from '../http/byte-range.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { encryptionHeaders } from './commit-object.ts'
import { findCopySource, shareContent, toReadSource } from './copy-source.ts'
import { describeChecksums } from './list-parts.ts'
import { readPartNumber, readUploadId } from './request-arguments.ts'

// S3 User Guide, "Multipart upload limits": the size of a part.
const mostPartBytes = 5 * 1024 ** 3

/** Makes a part from a range of another object, without writing its bytes again. */
export const uploadPartCopy: Operation = {
  name: 'UploadPartCopy',
  query: ['partNumber', 'uploadId'],
  access: request => [...toContinueUpload(request), toReadSource(request)],
  run: async (request, context) => {
    const { store } = context
    const [bucket, key, number] = [bucketOf(request), keyOf(request), readPartNumber(request)]
    store.buckets.get(bucket)
    const upload = store.uploads.get(bucket, key, readUploadId(request))
    const source = findCopySource(request, context)
    const rangeHeader = request.headers['x-amz-copy-source-range']
    const range = rangeHeader === undefined ? undefined : parseCopyRange(rangeHeader, source.size)
    if ((range === undefined ? source.size : range.last - range.first + 1) > mostPartBytes)
      throw new S3Error(
        'InvalidRequest',
        'The specified copy range is larger than the maximum allowable size for a copy source: 5368709120',
      )

    const { content, release } = await shareContent(
      context,
      source,
      range,
      upload.description.checksum?.algorithm,
    )
    try {
      const modified = Date.now()
      await store.commit([], () => {
        const { holder } = store.uploads.get(bucket, key, upload.id)
        store.parts.put(holder, number, content, modified)
      })
      return xmlReply(
        'CopyPartResult',
        {
          LastModified: new Date(modified).toISOString(),
          ETag: `"${content.md5}"`,
          ...describeChecksums(content.checksums),
        },
        {
          ...encryptionHeaders(upload.description),
          ...(source.versionId === 'null' ? {} : { 'x-amz-copy-source-version-id': source.versionId }),
        },
      )
    } finally {
      release()
    }
  },
}
