import { createHash } from 'node:crypto'
import { S3Error } from '../errors.ts'
import type { Caller } from './caller.ts'
import { isSameSignature, sha256, signingKey, signText } from './signature.ts'

export type ChunkVerifier = ReturnType<typeof verifyChunks>

/**
 * Checks the chain of signatures of a signed `aws-chunked` body: each covers its chunk and the signature before it,
 * beginning with that of the request (S3 API Reference, "Transferring payload in multiple chunks"). Throws
 * SignatureDoesNotMatch when one is wrong, or the request's is of a version that signs no chunks.
 */
export const verifyChunks = ({ principal, longDate, signature }: Caller, hasTrailer: boolean) => {
  if (longDate === undefined) throw new S3Error('SignatureDoesNotMatch')
  const key = signingKey(principal.secretAccessKey, longDate)
  let previous = signature
  let hash = createHash('sha256')

  const check = (algorithm: string, lines: readonly string[], given: string): void => {
    const expected = signText(key, longDate, algorithm, [previous, ...lines].join('\n'))
    if (!isSameSignature(expected, given)) throw new S3Error('SignatureDoesNotMatch')
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
