import { z } from 'zod'
import { accessOf, objectArn, onObjectOrVersion } from '../auth/access.ts'
import { receiveText } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { bareTag, readWriteCondition } from '../http/preconditions.ts'
import { xmlReply } from '../http/reply.ts'
import type { Operation } from '../operation.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { parseXml } from '../xml/parse-xml.ts'
import { readVersionId } from './request-arguments.ts'

const text = z.tuple([z.string()]).transform(([value]) => value)

// S3 API Reference, DeleteObjects.
const maxKeys = 1000
// An entry with its key, version and condition; `Delete` and `Quiet`.
const maxElements = 4 * maxKeys + 2

// Other elements are for directory buckets only.
const Entry = z.strictObject({ Key: text, VersionId: text.optional(), ETag: text.optional() })

const Body = z.object({
  Delete: z.tuple([z.object({ Object: z.array(Entry).min(1).max(maxKeys), Quiet: text.optional() })]),
})

/** Deletes each key separately: one that may not be deleted does not stop the others. */
export const deleteObjects: Operation = {
  // Allowed key by key below.
  access: () => [],
  run: async (request, { store, isAllowed }) => {
    const { bucket, caller } = request
    const body = await parseXml(await receiveText(request), Body, { maxElements })
    const [{ Object: entries, Quiet }] = body.Delete

    const deleted: XmlNode[] = []
    const errors: XmlNode[] = []
    const remove = async ({ Key, VersionId, ETag }: z.infer<typeof Entry>): Promise<void> => {
      try {
        const action = VersionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion'
        if (!isAllowed(caller.principal, accessOf(request, action, objectArn(bucket, Key))))
          throw new S3Error('AccessDenied')
        const condition = { ifMatch: ETag && bareTag(ETag) }
        const { isDeleteMarker, versionId } = await store.commit([], () =>
          store.objects.remove(bucket, Key, VersionId, condition),
        )
        const marker = isDeleteMarker ? { DeleteMarker: true, DeleteMarkerVersionId: versionId } : {}
        deleted.push({ Key, VersionId, ...marker })
      } catch (error) {
        if (!(error instanceof S3Error)) throw error
        errors.push({ Key, VersionId, Code: error.code, Message: error.message })
      }
    }
    // All at once, so that they share one commit; it keeps their order.
    await Promise.all(entries.map(remove))
    return xmlReply('DeleteResult', { Deleted: Quiet?.trim() === 'true' ? [] : deleted, Error: errors })
  },
}

export const deleteObject: Operation = {
  query: ['versionId'],
  access: onObjectOrVersion('s3:DeleteObject'),
  run: async (request, { store }) => {
    const { bucket, key, headers } = request
    const condition = readWriteCondition(headers)
    const asked = readVersionId(request)
    const { versionId, isDeleteMarker } = await store.commit([], () =>
      store.objects.remove(bucket, key, asked, condition),
    )
    const marker = isDeleteMarker ? 'true' : undefined
    return { status: 204, headers: { 'x-amz-version-id': versionId, 'x-amz-delete-marker': marker } }
  },
}
