import { onObject } from '../auth/access.ts'
import { checksumElement } from '../body/checksums.ts'
import { invalidArgument } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { StoredPart } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { owner } from './list-buckets.ts'
import { readLimit, readUploadId } from './request-arguments.ts'

export const listParts: Operation = {
  name: 'ListParts',
  query: ['uploadId', 'max-parts', 'part-number-marker', 'encoding-type'],
  access: onObject('s3:ListMultipartUploadParts'),
  run: (request, { store }) => {
    const [bucket, key] = [bucketOf(request), keyOf(request)]
    store.buckets.get(bucket)
    const upload = store.uploads.get(bucket, key, readUploadId(request))
    const limit = readLimit(request, 'max-parts')
    const marker = queryValue(request, 'part-number-marker') ?? '0'
    if (!/^\d{1,6}$/.test(marker))
      throw invalidArgument('Provided part-number-marker not an integer', 'part-number-marker', marker)
    const found = store.parts.list(upload.holder, Number(marker), limit + 1)
    const parts = found.slice(0, limit)
    const { checksum } = upload.description
    return xmlReply('ListPartsResult', {
      Bucket: bucket,
      Key: key,
      UploadId: upload.id,
      Initiator: owner,
      Owner: owner,
      StorageClass: upload.description.storageClass,
      PartNumberMarker: Number(marker),
      NextPartNumberMarker: parts.at(-1)?.number ?? 0,
      MaxParts: limit,
      IsTruncated: found.length > limit,
      ChecksumAlgorithm: checksum?.algorithm,
      ChecksumType: checksum?.type,
      Part: parts.map(describePart),
    })
  },
}

const describePart = (part: StoredPart): XmlNode => ({
  PartNumber: part.number,
  LastModified: new Date(part.modified).toISOString(),
  ETag: `"${part.etag}"`,
  Size: part.size,
  ...describeChecksums(part.checksums),
})

export const describeChecksums = (checksums: StoredPart['checksums']): XmlNode =>
  Object.fromEntries(
    Object.entries(checksums).map(([algorithm, value]) => [
      // The keys of `checksums` are algorithms.
      checksumElement(algorithm as keyof StoredPart['checksums']),
      value,
    ]),
  )
