import { toWriteObject } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { storeBody, writtenReply } from '../operations/commit-object.ts'
import type { StoredVersion } from '../storage/stored-object.ts'

type Fields = ReadonlyMap<string, string>

/** Stores the file of a form whose policy holds. The request has its description as headers, as a PUT would. */
export const postObject = (fields: Fields): Operation => ({
  access: toWriteObject,
  run: async (request, context) => {
    if (fields.has('tagging'))
      throw new S3Error('NotImplemented', 'Tags are not implemented.', { Header: 'tagging' })
    return answerOf(request, fields, await storeBody(request, context, 'POST Object'))
  },
})

/** What the form asked for: a page to see next, or a status (S3 API Reference, "POST Object"). */
const answerOf = (request: S3Request, fields: Fields, version: StoredVersion): Reply => {
  const { bucket, key, origin } = request
  const etag = `"${version.etag}"`
  const { headers } = writtenReply(version)
  const next = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  if (URL.canParse(next)) {
    const page = new URL(next)
    for (const [name, value] of Object.entries({ bucket, key, etag })) page.searchParams.append(name, value)
    return { status: 303, headers: { ...headers, location: page.href } }
  }
  const location = `${origin}/${bucket}/${encodeURIComponent(key)}`
  const status = fields.get('success_action_status')
  if (status !== '201') return { status: status === '200' ? 200 : 204, headers: { ...headers, location } }
  const described = { Location: location, Bucket: bucket, Key: key, ETag: etag }
  return { ...xmlReply('PostResponse', described, { ...headers, location }), status: 201 }
}
