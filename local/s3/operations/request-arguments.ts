import { encodePath } from '../auth/signature.ts'
import { invalidArgument } from '../errors.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'

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
const mostParts = 10_000

export const readPartNumber = (request: S3Request): number => {
  const value = queryValue(request, 'partNumber') ?? ''
  if (!/^\d{1,6}$/.test(value) || Number(value) < 1 || Number(value) > mostParts)
    throw invalidArgument(
      'Part number must be an integer between 1 and 10000, inclusive',
      'partNumber',
      value,
    )
  return Number(value)
}

export const readUploadId = (request: S3Request): string => queryValue(request, 'uploadId') ?? ''

const mostAtOnce = 1000

/** Reads `max-keys` and the like: 0 and more, capped at 1,000. */
export const readLimit = (request: S3Request, name: string): number => {
  const value = queryValue(request, name)
  if (value === undefined || value === '') return mostAtOnce
  if (!/^\d{1,10}$/.test(value))
    throw invalidArgument(`Provided ${name} not an integer or within integer range`, name, value)
  return Math.min(Number(value), mostAtOnce)
}

/** How keys are written in the reply: as they are or, with `encoding-type=url`, so that XML can hold any of them. */
export const readEncoding = (
  request: S3Request,
): { type: 'url' | undefined; encode: (key: string) => string } => {
  const type = queryValue(request, 'encoding-type')
  if (type === undefined || type === '') return { type: undefined, encode: key => key }
  if (type !== 'url')
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', type)
  return { type, encode: encodePath }
}
