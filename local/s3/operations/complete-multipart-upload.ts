import { z } from 'zod'
import { toContinueUpload } from '../auth/access.ts'
import { encodePath } from '../auth/signature.ts'
import { checksumAlgorithms, checksumHeader } from '../body/checksums.ts'
import { receiveText } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { describeChecksum } from '../http/object-description.ts'
import { bareTag, readWriteCondition } from '../http/preconditions.ts'
import { xmlReply } from '../http/reply.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import { parseXml } from '../xml/parse-xml.ts'
import { assembleParts, type ListedPart } from './assemble-parts.ts'
import { commitVersion, writtenHeaders } from './commit-object.ts'
import { findUpload, mostParts } from './request-arguments.ts'

// A part with its number, its ETag and all five checksums; `CompleteMultipartUpload`.
const maxElements = 8 * mostParts + 1

const text = z.tuple([z.string().trim()]).transform(([value]) => value)

const Part = z
  .object({
    PartNumber: text.refine(value => /^\d{1,6}$/.test(value)),
    ETag: text,
    ...Object.fromEntries(checksumAlgorithms.map(algorithm => [`Checksum${algorithm}`, text.optional()])),
  })
  .transform(
    ({ PartNumber, ETag, ...checksums }): ListedPart => ({
      number: Number(PartNumber),
      etag: bareTag(ETag),
      checksums,
    }),
  )

const Body = z.object({
  CompleteMultipartUpload: z.tuple([z.object({ Part: z.array(Part).min(1).max(mostParts) })]),
})

/** Makes an object of the parts without touching their bytes: the object takes over their files. */
export const completeMultipartUpload: Operation = {
  access: toContinueUpload,
  run: async (request, context) => {
    const { bucket, key } = request
    const body = await parseXml(await receiveText(request, { describesObject: true }), Body, { maxElements })
    // A client that lost the answer asks again. The upload is gone then, and the answer must be the same.
    const completed = context.store.uploads.completed(bucket, key, queryValue(request, 'uploadId') ?? '')
    const version = completed ?? (await complete(request, context, body.CompleteMultipartUpload[0].Part))
    return xmlReply(
      'CompleteMultipartUploadResult',
      {
        Location: `${request.origin}${encodePath(`/${bucket}/${key}`)}`,
        Bucket: bucket,
        Key: key,
        ETag: `"${version.etag}"`,
        ...describeChecksum(version.description),
      },
      writtenHeaders(version),
    )
  },
}

const complete = (request: S3Request, context: S3Context, listed: ListedPart[]): Promise<StoredVersion> => {
  const { store } = context
  const { bucket, key } = request
  return store.commit([], () => {
    const { id, holder, description: opened } = findUpload(request, context)
    store.objects.check(bucket, key, readWriteCondition(request.headers))
    const stored = store.parts.list(holder)
    const { parts, size, etag, description } = assembleParts(stored, listed, opened)
    checkPromises(request, size, description.checksum)

    const used = new Set(listed.map(({ number }) => number))
    for (const { number } of stored) if (!used.has(number)) store.parts.remove(holder, number)
    for (const { number, start } of parts) store.parts.setStart(holder, number, start)
    const version = commitVersion(request, context, 'CompleteMultipartUpload', {
      holder,
      size,
      etag,
      description,
    })
    store.uploads.remove(id)
    store.uploads.rememberCompleted(bucket, key, id, version)
    return version
  })
}

/** What the client says of the whole object: its size, and its checksum in the header that a PUT has too. */
const checkPromises = (
  { headers }: S3Request,
  size: number,
  checksum: StoredVersion['description']['checksum'],
): void => {
  const promisedSize = headers['x-amz-mp-object-size'] ?? String(size)
  if (promisedSize !== String(size))
    throw new S3Error(
      'InvalidRequest',
      `The size in x-amz-mp-object-size is ${promisedSize}; the parts have ${size} bytes.`,
    )
  const isOtherType = (headers['x-amz-checksum-type'] ?? checksum?.type) !== checksum?.type
  const promised = checksumAlgorithms.filter(algorithm => headers[checksumHeader(algorithm)] !== undefined)
  if (isOtherType || promised.some(algorithm => algorithm !== checksum?.algorithm))
    throw new S3Error('InvalidRequest', 'The upload was not created with the checksum of this request.')
  const value = checksum && headers[checksumHeader(checksum.algorithm)]
  // A composite value may come without its number of parts.
  if (value !== undefined && value !== checksum?.value && value !== checksum?.value?.replace(/-\d+$/, ''))
    throw new S3Error('BadDigest', 'The checksum you specified did not match the calculated checksum.')
}
