import { onObjectOrVersion } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { versionHeaders } from './commit-object.ts'
import { findObject } from './find-object.ts'
import { readVersionId } from './request-arguments.ts'

export const getObjectTagging: Operation = {
  name: 'GetObjectTagging',
  query: ['versionId'],
  access: request =>
    onObjectOrVersion('s3:GetObject')(request).map(access => ({
      ...access,
      action: `${access.action}Tagging`,
    })),
  run: (request, context) => {
    const version = findObject(request, context, {
      bucket: bucketOf(request),
      key: keyOf(request),
      versionId: readVersionId(request),
    })
    const tags = version.description.tags.map(([Key, Value]) => ({ Key, Value }))
    return xmlReply('Tagging', { TagSet: { Tag: tags } }, versionHeaders(version))
  },
}
