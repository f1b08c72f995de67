import { invalidArgument } from '../errors.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'

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
