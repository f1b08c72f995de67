import { createHash } from 'node:crypto'
import { verifyChunks } from '../auth/chunk-signatures.ts'
import { checksumHeader, startChecksum } from '../body/checksums.ts'
import { ChunkedDecoder } from '../body/chunked-decoder.ts'
import { readPromisedChecksum } from '../body/promised-checksum.ts'
import { S3Error } from '../errors.ts'
import type { S3Request } from './s3-request.ts'

// Enough to complete 10,000 parts with all checksums, and to delete 1,000 long keys.
const maxTextBytes = 8 * 1024 * 1024

/** Reads a small body (XML) whole and verifies it as `receiveBody` verifies the body of an object. */
export const readText = async (request: S3Request): Promise<string> => {
  const body = await readVerified(request)
  const md5 = request.headers['content-md5']
  if (md5 !== undefined && createHash('md5').update(body).digest('base64') !== md5)
    throw new S3Error('BadDigest')
  return body.toString()
}

const readVerified = async (request: S3Request): Promise<Buffer> => {
  const { chunked, sha256 } = request.bodyForm
  const { signingKey, scope, signature } = request.caller
  const decoder =
    chunked &&
    new ChunkedDecoder(
      chunked.isSigned ? verifyChunks(signingKey, scope, signature, chunked.hasTrailer) : undefined,
    )
  const body = await readAll(request.rawBody(), decoder, maxTextBytes)
  if (sha256 !== undefined && createHash('sha256').update(body).digest('hex') !== sha256)
    throw new S3Error('XAmzContentSHA256Mismatch')

  // When an upload is completed, this header is the checksum of the object. The operation checks that.
  if (request.target.query['uploadId'] !== undefined) return body
  const promised = readPromisedChecksum(request.headers)
  if (promised === undefined) return body
  const checksum = startChecksum(promised.algorithm)
  checksum.update(body)
  const value = promised.value ?? decoder?.trailers.get(checksumHeader(promised.algorithm))
  if (value !== (await checksum.digest())) throw new S3Error('BadDigest')
  return body
}

/** Collects a body of at most `limit` bytes. Throws MaxMessageLengthExceeded. */
export const readAll = async (
  pieces: AsyncIterable<Buffer>,
  decoder: ChunkedDecoder | undefined,
  limit: number,
): Promise<Buffer> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const piece of pieces)
    for (const bytes of decoder === undefined ? [piece] : decoder.decode(piece)) {
      size += bytes.length
      if (size > limit) throw new S3Error('MaxMessageLengthExceeded')
      parts.push(bytes)
    }
  decoder?.finish()
  return Buffer.concat(parts)
}
