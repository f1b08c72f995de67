import { z } from 'zod'
import { toContinueUpload } from '../auth/access.ts'
import { encodePath } from '../auth/signature.ts'
import { checksumAlgorithms, checksumElement, checksumHeader } from '../body/checksums.ts'
import { S3Error } from '../errors.ts'
import { bareTag, readWriteCondition } from '../http/preconditions.ts'
import { readText } from '../http/read-text.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import { parseXml } from '../xml/parse-xml.ts'
import { assembleParts, type ListedPart } from './assemble-parts.ts'
import { commitVersion, encryptionHeaders, versionHeaders } from './commit-object.ts'
import { describeChecksums } from './multipart-uploads.ts'
import { readUploadId } from './request-arguments.ts'

const one = z.tuple([z.string()])

// S3 User Guide, "Multipart upload limits".
const maxParts = 10_000
// A part with its number, its ETag and all five checksums; `CompleteMultipartUpload`.
const maxElements = 8 * maxParts + 1

const Body = z.object({
  CompleteMultipartUpload: z.tuple([
    z.object({
      Part: z
        .array(
          z.object({
            PartNumber: z.tuple([z.string().regex(/^\s*\d{1,6}\s*$/)]),
            ETag: one,
            ChecksumCRC32: one.optional(),
            ChecksumCRC32C: one.optional(),
            ChecksumCRC64NVME: one.optional(),
            ChecksumSHA1: one.optional(),
            ChecksumSHA256: one.optional(),
          }),
        )
        .min(1)
        .max(maxParts),
    }),
  ]),
})

/** Makes an object of the parts without touching their bytes: the object takes over their files. */
export const completeMultipartUpload: Operation = {
  name: 'CompleteMultipartUpload',
  query: ['uploadId'],
  access: toContinueUpload,
  run: async (request, context) => {
    const { store } = context
    const [bucket, key, uploadId] = [bucketOf(request), keyOf(request), readUploadId(request)]
    store.buckets.get(bucket)
    const listed = await readParts(await readText(request))
    // A client that lost the answer asks again. The upload is gone then, and the answer must be the same.
    const completed = store.uploads.completed(bucket, key, uploadId)
    if (completed !== undefined) return describeCompleted(request, completed)
    return describeCompleted(request, await complete(request, context, listed))
  },
}

const complete = (request: S3Request, context: S3Context, listed: ListedPart[]): Promise<StoredVersion> => {
  const { store } = context
  const [bucket, key] = [bucketOf(request), keyOf(request)]
  return store.commit([], () => {
    const upload = store.uploads.get(bucket, key, readUploadId(request))
    store.objects.check(bucket, key, readWriteCondition(request.headers))
    const stored = store.parts.list(upload.holder)
    const assembled = assembleParts(stored, listed, upload.description)
    checkPromises(request, assembled.size, assembled.description.checksum)

    const used = new Set(listed.map(({ number }) => number))
    for (const { number } of stored) if (!used.has(number)) store.parts.remove(upload.holder, number)
    for (const { number, start } of assembled.parts) store.parts.setStart(upload.holder, number, start)
    const version = commitVersion(request, context, 'CompleteMultipartUpload', {
      holder: upload.holder,
      size: assembled.size,
      etag: assembled.etag,
      description: assembled.description,
    })
    store.uploads.remove(upload.id)
    store.uploads.rememberCompleted(bucket, key, upload.id, version)
    return version
  })
}

const readParts = async (text: string): Promise<ListedPart[]> => {
  const [{ Part }] = (await parseXml(text, Body, { maxElements })).CompleteMultipartUpload
  return Part.map(part => ({
    number: Number(part.PartNumber[0]),
    etag: bareTag(part.ETag[0]),
    checksums: Object.fromEntries(
      checksumAlgorithms.flatMap(algorithm => {
        const value = part[checksumElement(algorithm)]?.[0]
        return value === undefined ? [] : [[algorithm, value.trim()]]
      }),
    ),
  }))
}

/** What the client says of the whole object: its size, and its checksum in the header that a PUT has too. */
const checkPromises = (
  { headers }: S3Request,
  size: number,
  checksum: StoredVersion['description']['checksum'],
): void => {
  const promisedSize = headers['x-amz-mp-object-size']
  if (promisedSize !== undefined && promisedSize !== String(size))
    throw new S3Error(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${promisedSize} does not match what was computed: ${size}`,
    )
  if (headers['x-amz-checksum-type'] !== undefined && headers['x-amz-checksum-type'] !== checksum?.type)
    throw new S3Error('InvalidRequest', 'The upload was not created with the checksum type of this request.')
  for (const algorithm of checksumAlgorithms) {
    const promised = headers[checksumHeader(algorithm)]
    if (promised === undefined) continue
    if (checksum?.algorithm !== algorithm)
      throw new S3Error(
        'InvalidRequest',
        `The upload was not created with the ${algorithm} checksum algorithm.`,
      )
    // A composite value may come without its number of parts.
    if (promised !== checksum.value && promised !== checksum.value?.replace(/-\d+$/, ''))
      throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
  }
}

const describeCompleted = (request: S3Request, version: StoredVersion): Reply => {
  const [bucket, key] = [bucketOf(request), keyOf(request)]
  const { checksum } = version.description
  return xmlReply(
    'CompleteMultipartUploadResult',
    {
      Location: `${request.origin}${encodePath(`/${bucket}/${key}`)}`,
      Bucket: bucket,
      Key: key,
      ETag: `"${version.etag}"`,
      ...(checksum?.value === undefined ? {} : describeChecksums({ [checksum.algorithm]: checksum.value })),
      ChecksumType: checksum?.type,
    },
    { ...versionHeaders(version), ...encryptionHeaders(version.description) },
  )
}
