import { toWriteObject } from '../auth/access.ts'
import { type ChecksumAlgorithm, checksumElement, isChecksumAlgorithm } from '../body/checksums.ts'
import { canCombine } from '../body/combine-crc.ts'
import { S3Error } from '../errors.ts'
import { checkObjectAcl } from '../http/acl.ts'
import { readDescription } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { ChecksumType, ObjectDescription } from '../storage/stored-object.ts'
import { encryptionHeaders } from './commit-object.ts'

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
