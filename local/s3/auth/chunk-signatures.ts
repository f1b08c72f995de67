import type { Hash, KeyObject } from 'node:crypto'
import type { ChunkVerifier } from '../body/chunked-decoder.ts'
import { S3Error } from '../errors.ts'
import { isSameSignature, newSha256, type SignatureScope, sha256, signText } from './signature.ts'

/**
 * Checks the chain of signatures of a signed `aws-chunked` body: each covers its chunk and the signature before it,
 * beginning with that of the request (S3 API Reference, "Transferring payload in multiple chunks").
 */
export const verifyChunks = (
  key: KeyObject,
  scope: SignatureScope,
  requestSignature: string,
  hasTrailer: boolean,
): ChunkVerifier => {
  let previous = requestSignature
  let hash: Hash = newSha256()

  const check = (expected: string, given: string): void => {
    if (!isSameSignature(expected, given)) throw new S3Error('SignatureDoesNotMatch')
    previous = expected
  }

  return {
    data: bytes => void hash.update(bytes),
    chunkEnd: signature => {
      const text = [previous, sha256(''), hash.digest('hex')].join('\n')
      hash = newSha256()
      check(signText(key, scope, 'AWS4-HMAC-SHA256-PAYLOAD', text), signature)
    },
    trailerEnd: (signed, signature) => {
      if (!hasTrailer) return
      check(
        signText(key, scope, 'AWS4-HMAC-SHA256-TRAILER', [previous, sha256(signed)].join('\n')),
        signature,
      )
    },
  }
}
