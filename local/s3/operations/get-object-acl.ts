import { onObjectOrVersion } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { ownersAcl } from './bucket-settings.ts'
import { versionHeaders } from './commit-object.ts'
import { findObject } from './find-object.ts'
import { readVersionId } from './request-arguments.ts'

export const getObjectAcl: Operation = {
  name: 'GetObjectAcl',
  query: ['versionId'],
  access: request =>
    onObjectOrVersion('s3:GetObject')(request).map(access => ({ ...access, action: `${access.action}Acl` })),
  run: (request, context) => {
    const version = findObject(request, context, {
      bucket: bucketOf(request),
      key: keyOf(request),
      versionId: readVersionId(request),
    })
    return xmlReply(ownersAcl.root, ownersAcl.content, versionHeaders(version))
  },
}
