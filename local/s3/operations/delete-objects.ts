import { z } from 'zod'
import { accessOf, objectArn, onObjectOrVersion } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { readWriteCondition } from '../http/preconditions.ts'
import { readText } from '../http/read-text.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, keyOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { Deleted } from '../storage/objects.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { parseXml } from '../xml/parse-xml.ts'
import { readVersionId } from './request-arguments.ts'

const one = z.tuple([z.string()])

// S3 API Reference, DeleteObjects.
const maxKeys = 1000
// An entry with its key, version and condition; `Delete` and `Quiet`.
const maxElements = 4 * maxKeys + 2

const Body = z.object({
  Delete: z.tuple([
    z.object({
      // Other elements of an entry are for directory buckets only.
      Object: z
        .array(z.strictObject({ Key: one, VersionId: one.optional(), ETag: one.optional() }))
        .min(1)
        .max(maxKeys),
      Quiet: one.optional(),
    }),
  ]),
})

/** Deletes each key separately: one that may not be deleted does not stop the others. */
export const deleteObjects: Operation = {
  name: 'DeleteObjects',
  // Allowed key by key below.
  access: () => [],
  run: async (request, { store, isAllowed }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const text = await readText(request)
    const [{ Object: entries, Quiet }] = (await parseXml(text, Body, { maxElements })).Delete
    const isQuiet = Quiet?.[0].trim() === 'true'

    const deleted: XmlNode[] = []
    const errors: XmlNode[] = []
    const remove = async (key: string, versionId: string | undefined, ETag: string | undefined) => {
      try {
        const action = versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion'
        if (!isAllowed(request.caller.principal, accessOf(request, action, objectArn(bucket, key))))
          throw new S3Error('AccessDenied')
        const condition = { ifMatch: ETag?.replaceAll('"', '') }
        const result = await store.commit([], () => store.objects.remove(bucket, key, versionId, condition))
        if (!isQuiet) deleted.push(describeDeleted(key, versionId, result))
      } catch (error) {
        if (!(error instanceof S3Error)) throw error
        errors.push({ Key: key, VersionId: versionId, Code: error.code, Message: error.message })
      }
    }
    // All at once, so that they share one commit; it keeps their order.
    await Promise.all(entries.map(({ Key, VersionId, ETag }) => remove(Key[0], VersionId?.[0], ETag?.[0])))
    return xmlReply('DeleteResult', { Deleted: deleted, Error: errors })
  },
}

const describeDeleted = (key: string, versionId: string | undefined, result: Deleted): XmlNode => ({
  Key: key,
  VersionId: versionId,
  DeleteMarker: result.isDeleteMarker ? true : undefined,
  DeleteMarkerVersionId: result.isDeleteMarker ? result.versionId : undefined,
})

export const deleteObject: Operation = {
  name: 'DeleteObject',
  query: ['versionId'],
  access: onObjectOrVersion('s3:DeleteObject'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    const condition = readWriteCondition(request.headers)
    const deleted = await store.commit([], () =>
      store.objects.remove(bucketOf(request), keyOf(request), readVersionId(request), condition),
    )
    return {
      status: 204,
      headers: {
        ...(deleted.versionId === undefined ? {} : { 'x-amz-version-id': deleted.versionId }),
        ...(deleted.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {}),
      },
    }
  },
}
