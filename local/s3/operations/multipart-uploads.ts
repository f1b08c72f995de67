import { onBucket, onObject, toWriteObject } from '../auth/access.ts'
import { type ChecksumAlgorithm, checksumElement, isChecksumAlgorithm } from '../body/checksums.ts'
import { canCombine } from '../body/combine-crc.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { checkObjectAcl } from '../http/acl.ts'
import { readDescription } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { listPage } from '../storage/listing.ts'
import type { ChecksumType, ObjectDescription, StoredPart } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { owner } from './buckets.ts'
import { encryptionHeaders } from './commit-object.ts'
import { readListing, startAfterMarker } from './list-objects.ts'
import { readLimit, readUploadId } from './request-arguments.ts'

export const abortMultipartUpload: Operation = {
  name: 'AbortMultipartUpload',
  query: ['uploadId'],
  access: onObject('s3:AbortMultipartUpload'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    await store.commit([], () => {
      const upload = store.uploads.get(bucketOf(request), keyOf(request), readUploadId(request))
      store.parts.remove(upload.holder)
      store.uploads.remove(upload.id)
    })
    return { status: 204 }
  },
}

export const createMultipartUpload: Operation = {
  name: 'CreateMultipartUpload',
  access: toWriteObject,
  run: async (request, { store }) => {
    const [bucket, key] = [bucketOf(request), keyOf(request)]
    store.buckets.get(bucket)
    checkObjectAcl(request.headers, store.buckets.ownership(bucket))
    const checksum = readChecksum(request.headers)
    const description = { ...readDescription(request.headers), ...checksum }
    const upload = await store.commit([], () => store.uploads.create(bucket, key, description))
    return xmlReply(
      'InitiateMultipartUploadResult',
      { Bucket: bucket, Key: key, UploadId: upload.id },
      {
        ...encryptionHeaders(description),
        ...(checksum.checksum === undefined
          ? {}
          : {
              'x-amz-checksum-algorithm': checksum.checksum.algorithm,
              'x-amz-checksum-type': checksum.checksum.type,
            }),
      },
    )
  },
}

type Headers = Readonly<Record<string, string>>

const readChecksum = (headers: Headers): Pick<ObjectDescription, 'checksum'> => {
  const algorithm = headers['x-amz-checksum-algorithm']?.toUpperCase()
  const type = headers['x-amz-checksum-type']?.toUpperCase()
  if (algorithm === undefined) {
    if (type !== undefined)
      throw new S3Error(
        'InvalidRequest',
        'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
      )
    return {}
  }
  if (!isChecksumAlgorithm(algorithm))
    throw new S3Error(
      'InvalidRequest',
      'Checksum algorithm provided is unsupported. Please try again with a supported one.',
    )
  return { checksum: { algorithm, type: readType(algorithm, type) } }
}

/** S3 User Guide, "Checking object integrity": hashes of parts cannot be combined; CRC64NVME always covers the object. */
const readType = (algorithm: ChecksumAlgorithm, type: string | undefined): ChecksumType => {
  if (type === undefined) return algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE'
  if (type === 'FULL_OBJECT' && canCombine(algorithm)) return type
  if (type === 'COMPOSITE' && algorithm !== 'CRC64NVME') return type
  throw new S3Error(
    'InvalidRequest',
    `The ${type} checksum type cannot be used with the ${checksumElement(algorithm)} algorithm.`,
  )
}

export const listMultipartUploads: Operation = {
  name: 'ListMultipartUploads',
  query: ['uploads', 'prefix', 'delimiter', 'max-uploads', 'key-marker', 'upload-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketMultipartUploads'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { describePage, ...listing } = readListing(request, 'max-uploads')
    const { limit, encode } = listing
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'upload-id-marker')
    const page = listPage(store.uploads.open(bucket), {
      ...listing,
      start: startAfterMarker(keyMarker, idMarker, listing),
    })
    const next = page.isTruncated ? page.last : undefined
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker ?? '',
      NextKeyMarker: next && encode(next.key),
      NextUploadIdMarker: next?.item?.id,
      MaxUploads: limit,
      Upload: page.items.map(({ key, id, initiated, description }) => ({
        Key: encode(key),
        UploadId: id,
        Initiator: owner,
        Owner: owner,
        StorageClass: description.storageClass,
        Initiated: new Date(initiated).toISOString(),
        ChecksumAlgorithm: description.checksum?.algorithm,
        ChecksumType: description.checksum?.type,
      })),
      ...describePage(page),
    })
  },
}

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
