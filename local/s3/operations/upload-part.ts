import { toContinueUpload } from '../auth/access.ts'
import { checksumHeader } from '../body/checksums.ts'
import { readPromisedChecksum } from '../body/promised-checksum.ts'
import { receiveBody } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { Upload } from '../storage/uploads.ts'
import { encryptionHeaders } from './commit-object.ts'
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
