import { invalidArgument } from '../errors.ts'
import type { BodyForm } from '../http/s3-request.ts'

/** Reads from `x-amz-content-sha256` how the body arrives and what it must hash to. */
export const readBodyForm = (contentSha256: string | undefined): BodyForm => {
  switch (contentSha256) {
    case undefined:
    case 'UNSIGNED-PAYLOAD':
      return {}
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { chunked: { hasTrailer: true, isSigned: false } }
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { chunked: { hasTrailer: false, isSigned: true } }
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { chunked: { hasTrailer: true, isSigned: true } }
    default:
      if (/^[0-9a-f]{64}$/i.test(contentSha256)) return { sha256: contentSha256.toLowerCase() }
      throw invalidArgument(
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- form that is supported, or a valid sha256 value.',
        'x-amz-content-sha256',
        contentSha256,
      )
  }
}
