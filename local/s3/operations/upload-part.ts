import { toContinueUpload } from '../auth/access.ts'
import { checksumHeader, describeChecksums, readPromisedChecksum } from '../body/checksums.ts'
import { receiveBody } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { parseCopyRange } from '../http/byte-range.ts'
import { encryption } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { NewContent } from '../storage/stored-object.ts'
import { nameOf } from './commit-object.ts'
import { findCopySource, shareContent, toReadSource } from './copy-object.ts'
import { findUpload, mostParts, readNumber } from './request-arguments.ts'

const query = ['uploadId']

const readPart = (request: S3Request, context: S3Context) => {
  const number = readNumber(request, 'partNumber', { least: 1, most: mostParts })
  const { description } = findUpload(request, context)
  const commit = async (content: NewContent): Promise<{ content: NewContent; modified: number }> => {
    const modified = Date.now()
    await context.store.commit(content.newFiles, () => {
      // Asked again: the upload may have been completed or aborted while the part was on its way.
      context.store.parts.put(findUpload(request, context).holder, number, content, modified)
    })
    return { content, modified }
  }
  return { commit, algorithm: description.checksum?.algorithm }
}

export const uploadPart: Operation = {
  query,
  access: toContinueUpload,
  run: async (request, context) => {
    const { commit, algorithm } = readPart(request, context)
    const sent = readPromisedChecksum(request.headers)?.algorithm
    if (sent !== undefined && algorithm !== undefined && sent !== algorithm)
      throw new S3Error(
        'InvalidRequest',
        `The upload has ${algorithm} as its checksum, and its part has ${sent}.`,
      )
    const { content } = await commit(await receiveBody(request, context.store.files, algorithm))
    const used = sent ?? algorithm
    const checksum = used && { [checksumHeader(used)]: content.checksums[used] }
    return { status: 200, headers: { etag: `"${content.md5}"`, ...checksum, ...encryption } }
  },
}

/** Makes a part from a range of another object, without writing its bytes again. */
export const uploadPartCopy: Operation = {
  query,
  access: request => [...toContinueUpload(request), toReadSource(request)],
  run: async (request, context) => {
    const { commit, algorithm } = readPart(request, context)
    const source = findCopySource(request, context)
    const rangeHeader = request.headers['x-amz-copy-source-range']
    const range = rangeHeader === undefined ? undefined : parseCopyRange(rangeHeader, source.size)
    const { content, modified } = await shareContent(context, source, { range, algorithm }, commit)
    return xmlReply(
      'CopyPartResult',
      {
        LastModified: new Date(modified).toISOString(),
        ETag: `"${content.md5}"`,
        ...describeChecksums(content.checksums),
      },
      { ...encryption, 'x-amz-copy-source-version-id': nameOf(source.versionId) },
    )
  },
}
