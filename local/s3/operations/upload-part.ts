import { toContinueUpload } from '../auth/access.ts'
import { checksumHeader } from '../body/checksums.ts'
import { readPromisedChecksum } from '../body/promised-checksum.ts'
import { receiveBody } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { parseCopyRange } from '../http/byte-range.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { Upload } from '../storage/uploads.ts'
import { encryptionHeaders } from './commit-object.ts'
import { findCopySource, shareContent, toReadSource } from './copy-source.ts'
import { describeChecksums } from './multipart-uploads.ts'
import { readPartNumber, readUploadId } from './request-arguments.ts'

export const uploadPart: Operation = {
  name: 'UploadPart',
  query: ['partNumber', 'uploadId'],
  access: toContinueUpload,
  run: async (request, { store }) => {
    const [bucket, key] = [bucketOf(request), keyOf(request)]
    const number = readPartNumber(request)
    store.buckets.get(bucket)
    const upload = store.uploads.get(bucket, key, readUploadId(request))
    checkAlgorithm(request.headers, upload)
    const content = await receiveBody(request, store.files, upload.description.checksum?.algorithm)
    await store.commit(content.newFiles, () => {
      // Asked again: the upload may have been completed or aborted while the part was on its way.
      const { holder } = store.uploads.get(bucket, key, upload.id)
      store.parts.put(holder, number, content, Date.now())
    })
    const checksums = Object.entries(content.checksums).map(([algorithm, value]) => [
      // The keys of `checksums` are algorithms.
      checksumHeader(algorithm as keyof typeof content.checksums),
      value,
    ])
    return {
      status: 200,
      headers: {
        etag: `"${content.md5}"`,
        ...Object.fromEntries(checksums),
        ...encryptionHeaders(upload.description),
      },
    }
  },
}

const checkAlgorithm = (headers: Readonly<Record<string, string>>, { description }: Upload): void => {
  const sent = readPromisedChecksum(headers)?.algorithm
  const wanted = description.checksum?.algorithm
  if (sent !== undefined && wanted !== undefined && sent !== wanted)
    throw new S3Error(
      'InvalidRequest',
      `Checksum Type mismatch occurred, expected checksum Type: ${wanted.toLowerCase()}, actual checksum Type: ${sent.toLowerCase()}`,
    )
}

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
