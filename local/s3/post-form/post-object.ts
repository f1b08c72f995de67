import { toWriteObject } from '../auth/access.ts'
import { receiveBody } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { readDescription } from '../http/object-description.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import {
  checkBeforeWrite,
  commitContent,
  describeChecksum,
  writtenReply,
} from '../operations/commit-object.ts'
import type { StoredVersion } from '../storage/stored-object.ts'

type Fields = ReadonlyMap<string, string>

/** Stores the file of a form whose policy holds. The request has its description as headers, as a PUT would. */
export const postObject = (fields: Fields): Operation => ({
  name: 'PostObject',
  access: toWriteObject,
  run: async (request, context) => {
    if (fields.has('tagging'))
      throw new S3Error('NotImplemented', 'Tags are not implemented.', { Header: 'tagging' })
    const description = readDescription(request.headers)
    checkBeforeWrite(request, context)
    const content = await receiveBody(request, context.store.files)
    const version = await commitContent(request, context, {
      content,
      description: { ...description, ...describeChecksum(content) },
      reason: 'POST Object',
    })
    return answerOf(request, fields, version)
  },
})

/** What the form asked for: a page to see next, or a status (S3 API Reference, "POST Object"). */
const answerOf = (request: S3Request, fields: Fields, version: StoredVersion): Reply => {
  const [bucket, key] = [bucketOf(request), keyOf(request)]
  const etag = `"${version.etag}"`
  const { headers } = writtenReply(version)
  const next = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  if (URL.canParse(next)) {
    const page = new URL(next)
    for (const [name, value] of Object.entries({ bucket, key, etag })) page.searchParams.append(name, value)
    return { status: 303, headers: { ...headers, location: page.href } }
  }
  const location = `${request.origin}/${bucket}/${encodeURIComponent(key)}`
  switch (fields.get('success_action_status')) {
    case '200':
      return { status: 200, headers: { ...headers, location } }
    case '201': {
      const reply = xmlReply('PostResponse', { Location: location, Bucket: bucket, Key: key, ETag: etag })
      return { ...reply, status: 201, headers: { ...reply.headers, ...headers, location } }
    }
    default:
      return { status: 204, headers: { ...headers, location } }
  }
}
