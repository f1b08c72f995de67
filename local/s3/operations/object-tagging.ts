import { z } from 'zod'
import { onObjectOrVersion } from '../auth/access.ts'
import { checkTags } from '../http/object-description.ts'
import { readText } from '../http/read-text.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import { parseXml } from '../xml/parse-xml.ts'
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

const one = z.tuple([z.string()])
const tagSet = z.union([z.string(), z.object({ Tag: z.array(z.object({ Key: one, Value: one })) })])
const Body = z.object({ Tagging: z.tuple([z.object({ TagSet: z.tuple([tagSet]) })]) })

// Ten tags are allowed; more are refused with InvalidTag, not as an overlong document.
const maxElements = 1000

type Tags = StoredVersion['description']['tags']

/** Replaces the tags of the version that the request names. The object keeps its bytes, entity tag and time, as in S3. */
const setTags = (request: S3Request, context: S3Context, tags: Tags): Promise<StoredVersion> =>
  context.store.commit([], () => {
    const version = findObject(request, context, {
      bucket: bucketOf(request),
      key: keyOf(request),
      versionId: readVersionId(request),
    })
    context.store.objects.describe(version.holder, { ...version.description, tags })
    return version
  })

/** Reads a `Tagging` document. Throws MalformedXML, InvalidTag. */
export const readTagging = async (text: string, most?: number): Promise<Tags> => {
  const [{ TagSet }] = (await parseXml(text, Body, { maxElements })).Tagging
  const [set] = TagSet
  const tags = typeof set === 'string' ? [] : set.Tag.map(({ Key, Value }): Tags[0] => [Key[0], Value[0]])
  checkTags(tags, most)
  return tags
}

const toChange = (action: string) => (request: S3Request) =>
  onObjectOrVersion(action)(request).map(access => ({ ...access, action: `${access.action}Tagging` }))

export const putObjectTagging: Operation = {
  name: 'PutObjectTagging',
  query: ['versionId'],
  access: toChange('s3:PutObject'),
  run: async (request, context) => {
    const tags = await readTagging(await readText(request))
    return { status: 200, headers: versionHeaders(await setTags(request, context, tags)) }
  },
}

export const deleteObjectTagging: Operation = {
  name: 'DeleteObjectTagging',
  query: ['versionId'],
  access: toChange('s3:DeleteObject'),
  run: async (request, context) => ({
    status: 204,
    headers: versionHeaders(await setTags(request, context, [])),
  }),
}
