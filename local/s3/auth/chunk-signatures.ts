import { createHash } from 'node:crypto'
import { S3Error } from '../errors.ts'
import type { S3Request } from '../http/s3-request.ts'
import { isSameSignature, sha256, signText } from './signature.ts'

export type ChunkVerifier = ReturnType<typeof verifyChunks>

/**
 * Checks the chain of signatures of a signed `aws-chunked` body: each covers its chunk and the signature before it,
 * beginning with that of the request (S3 API Reference, "Transferring payload in multiple chunks"). Each call throws
 * SignatureDoesNotMatch when one is wrong, or when the request's signature is of a version that signs no chunks.
 */
export const verifyChunks = ({ chunks }: S3Request['caller'], hasTrailer: boolean) => {
  let previous = chunks?.signature ?? ''
  let hash = createHash('sha256')

  const check = (algorithm: string, lines: readonly string[], given: string): void => {
    const expected = chunks && signText(chunks.key, chunks.scope, algorithm, [previous, ...lines].join('\n'))
    if (expected === undefined || !isSameSignature(expected, given))
      throw new S3Error('SignatureDoesNotMatch')
    previous = expected
  }

  return {
    data: (bytes: Buffer): void => void hash.update(bytes),
    /** After the last byte of each chunk, the empty last one included. */
    chunkEnd: (signature: string): void => {
      check('AWS4-HMAC-SHA256-PAYLOAD', [sha256(''), hash.digest('hex')], signature)
      hash = createHash('sha256')
    },
    /** After the trailers; `signed` are the lines that the signature covers. */
    trailerEnd: (signed: string, signature: string): void => {
      if (hasTrailer) check('AWS4-HMAC-SHA256-TRAILER', [sha256(signed)], signature)
    },
  }
}
