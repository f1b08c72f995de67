import { owner } from '../account.ts'
import { onBucket, onObject, toWriteObject } from '../auth/access.ts'
import { type ChecksumAlgorithm, describeChecksums, readAlgorithm } from '../body/checksums.ts'
import { canCombine } from '../body/combine-crc.ts'
import { S3Error } from '../errors.ts'
import { checkAcl } from '../http/accepted-headers.ts'
import { encryption, readDescription, storageClass } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { listPage } from '../storage/listing.ts'
import type { ChecksumType, ObjectDescription } from '../storage/stored-object.ts'
import { readListing, startAfterMarker } from './list-objects.ts'
import { findUpload, readLimit, readNumber } from './request-arguments.ts'

export const abortMultipartUpload: Operation = {
  access: onObject('s3:AbortMultipartUpload'),
  run: async (request, context) => {
    const { store } = context
    await store.commit([], () => {
      const { id, holder } = findUpload(request, context)
      store.parts.remove(holder)
      store.uploads.remove(id)
    })
    return { status: 204 }
  },
}

export const createMultipartUpload: Operation = {
  access: toWriteObject,
  run: async ({ bucket, key, headers }, { store, settingsOf }) => {
    checkAcl(headers, settingsOf(bucket))
    const description = { ...readDescription(headers), ...readChecksum(headers) }
    const id = await store.commit([], () => store.uploads.create(bucket, key, description))
    return xmlReply(
      'InitiateMultipartUploadResult',
      { Bucket: bucket, Key: key, UploadId: id },
      {
        ...encryption,
        'x-amz-checksum-algorithm': description.checksum?.algorithm,
        'x-amz-checksum-type': description.checksum?.type,
      },
    )
  },
}

const readChecksum = (headers: S3Request['headers']): Pick<ObjectDescription, 'checksum'> => {
  const algorithm = readAlgorithm(headers['x-amz-checksum-algorithm'])
  const type = headers['x-amz-checksum-type']?.toUpperCase()
  if (algorithm !== undefined) return { checksum: { algorithm, type: readType(algorithm, type) } }
  if (type === undefined) return {}
  throw new S3Error('InvalidRequest', 'The x-amz-checksum-type header needs x-amz-checksum-algorithm.')
}

/** S3 User Guide, "Checking object integrity": hashes of parts cannot be combined; CRC64NVME always covers the object. */
const readType = (algorithm: ChecksumAlgorithm, type: string | undefined): ChecksumType => {
  if (type === undefined) return algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE'
  if (type === 'FULL_OBJECT' && canCombine(algorithm)) return type
  if (type === 'COMPOSITE' && algorithm !== 'CRC64NVME') return type
  throw new S3Error('InvalidRequest', `The ${type} checksum type cannot be used with ${algorithm}.`)
}

export const listMultipartUploads: Operation = {
  query: ['prefix', 'delimiter', 'max-uploads', 'key-marker', 'upload-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketMultipartUploads'),
  run: (request, { store }) => {
    const { bucket } = request
    const { describePage, ...listing } = readListing(request, 'max-uploads')
    const { encode } = listing
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'upload-id-marker')
    const start = startAfterMarker(keyMarker, idMarker, listing)
    const page = listPage(store.uploads.open(bucket), { ...listing, start })
    const next = page.isTruncated ? page.last : undefined
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker ?? '',
      NextKeyMarker: next && encode(next.key),
      NextUploadIdMarker: next?.item?.id,
      MaxUploads: listing.limit,
      Upload: page.items.map(({ key, id, initiated }) => ({
        Key: encode(key),
        UploadId: id,
        Initiator: owner,
        Owner: owner,
        StorageClass: storageClass,
        Initiated: new Date(initiated).toISOString(),
      })),
      ...describePage(page),
    })
  },
}

export const listParts: Operation = {
  query: ['max-parts', 'part-number-marker', 'encoding-type'],
  access: onObject('s3:ListMultipartUploadParts'),
  run: (request, context) => {
    const { id, holder, description } = findUpload(request, context)
    const limit = readLimit(request, 'max-parts')
    const marker = readNumber(request, 'part-number-marker', {})
    const found = context.store.parts.list(holder, marker, limit + 1)
    const parts = found.slice(0, limit)
    return xmlReply('ListPartsResult', {
      Bucket: request.bucket,
      Key: request.key,
      UploadId: id,
      Initiator: owner,
      Owner: owner,
      StorageClass: storageClass,
      PartNumberMarker: marker,
      NextPartNumberMarker: parts.at(-1)?.number ?? 0,
      MaxParts: limit,
      IsTruncated: found.length > limit,
      ChecksumAlgorithm: description.checksum?.algorithm,
      ChecksumType: description.checksum?.type,
      Part: parts.map(part => ({
        PartNumber: part.number,
        LastModified: new Date(part.modified).toISOString(),
        ETag: `"${part.etag}"`,
        Size: part.size,
        ...describeChecksums(part.checksums),
      })),
    })
  },
}
