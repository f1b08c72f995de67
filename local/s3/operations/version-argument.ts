import { invalidArgument } from '../errors.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'

/** The version that the request names. Ids have a form, `null` included; anything else is refused. */
export const readVersionId = (request: S3Request): string | undefined => {
  const versionId = queryValue(request, 'versionId')
  if (versionId !== undefined && !/^[\w.-]{1,128}$/.test(versionId))
    throw invalidArgument('Invalid version id specified', 'versionId', versionId)
  return versionId
}
