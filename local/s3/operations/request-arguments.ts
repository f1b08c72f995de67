import { encodePath } from '../auth/signature.ts'
import { invalidArgument } from '../errors.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { S3Context } from '../operation.ts'
import type { Upload } from '../storage/uploads.ts'

/** The version that the request names, `null` included. An id that no version can have is refused. */
export const readVersionId = (request: S3Request): string | undefined => {
  const versionId = queryValue(request, 'versionId')
  if (versionId !== undefined) checkVersionId(versionId)
  return versionId
}

export const checkVersionId = (versionId: string): void => {
  if (!/^(null|[\w-]{32})$/.test(versionId))
    throw invalidArgument('Invalid version id specified', 'versionId', versionId)
}

// S3 User Guide, "Multipart upload limits".
export const mostParts = 10_000

const mostAtOnce = 1000

/** Reads `max-keys` and the like: 0 and more, capped at 1,000. */
export const readLimit = (request: S3Request, name: string): number =>
  Math.min(readNumber(request, name, { otherwise: mostAtOnce }), mostAtOnce)

/** A number from `least` to `most`; `otherwise` without the argument, or with an empty one. */
export const readNumber = (
  request: S3Request,
  name: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER, otherwise = 0 },
): number => {
  const value = queryValue(request, name) || String(otherwise)
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw invalidArgument(`${name} is not an integer of its range`, name, value)
}

/** How keys are written in the reply: as they are or, with `encoding-type=url`, so that XML can hold any of them. */
export const readEncoding = (
  request: S3Request,
): { type: 'url' | undefined; encode: (key: string) => string } => {
  const type = queryValue(request, 'encoding-type') ?? ''
  if (type === '') return { type: undefined, encode: key => key }
  if (type !== 'url')
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', type)
  return { type, encode: encodePath }
}

/** A token that one of our listings gave: bytes in base64url; none without the argument. */
export const readToken = (request: S3Request): Buffer | undefined => {
  const token = queryValue(request, 'continuation-token')
  if (token !== undefined && !/^[\w-]+$/.test(token))
    throw invalidArgument('The continuation token provided is incorrect', 'continuation-token', token)
  return token === undefined ? undefined : Buffer.from(token, 'base64url')
}

/** The open upload that the request names. Throws NoSuchUpload. */
export const findUpload = (request: S3Request, { store }: S3Context): Upload =>
  store.uploads.get(request.bucket, request.key, queryValue(request, 'uploadId') ?? '')
