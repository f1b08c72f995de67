import { toWriteObject } from '../auth/access.ts'
import { type Checksums, checksumAlgorithms, checksumHeader } from '../body/checksums.ts'
import { receiveBody } from '../body/receive-body.ts'
import { buildObjectCreated, type CreatedReason } from '../events/object-created.ts'
import { checkAcl } from '../http/accepted-headers.ts'
import { encryption, readDescription } from '../http/object-description.ts'
import { readWriteCondition } from '../http/preconditions.ts'
import type { Reply } from '../http/reply.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { NewVersion } from '../storage/objects.ts'
import type { NewContent, ObjectDescription, StoredVersion } from '../storage/stored-object.ts'

/** Stores the body of a PUT, or the file of a form whose fields have become the headers of one. */
export const storeBody = async (
  request: S3Request,
  context: S3Context,
  reason: CreatedReason,
): Promise<StoredVersion> => {
  const description = readDescription(request.headers)
  checkBeforeWrite(request, context)
  const content = await receiveBody(request, context.store.files)
  return commitContent(request, context, { content, description, reason })
}

export const putObject: Operation = {
  access: toWriteObject,
  run: async (request, context) => writtenReply(await storeBody(request, context, 'PutObject')),
}

/** The answer to a PUT. */
export const writtenReply = (version: StoredVersion): Reply => ({
  status: 200,
  headers: {
    etag: `"${version.etag}"`,
    ...writtenHeaders(version),
    ...checksumHeaders(version.description),
  },
})

/** What the answer to each way of writing an object says. */
export const writtenHeaders = ({ versionId }: StoredVersion) => ({
  'x-amz-version-id': nameOf(versionId),
  ...encryption,
})

/** The id of a version as headers say it: not at all in a bucket without versions. */
export const nameOf = (versionId: string): string | undefined =>
  versionId === 'null' ? undefined : versionId

/** @param ofPart instead of the checksum of the whole */
export const checksumHeaders = (
  { checksum }: ObjectDescription,
  ofPart?: Checksums,
): Record<string, string> => {
  const value = checksum && (ofPart ? ofPart[checksum.algorithm] : checksum.value)
  return checksum === undefined || value === undefined
    ? {}
    : { [checksumHeader(checksum.algorithm)]: value, 'x-amz-checksum-type': checksum.type }
}

/** Refuses a write before its body is read, when the bucket takes no such ACL, or the condition does not hold. */
export const checkBeforeWrite = (request: S3Request, { store, settingsOf }: S3Context): void => {
  checkAcl(request.headers, settingsOf(request.bucket))
  store.objects.check(request.bucket, request.key, readWriteCondition(request.headers))
}

/** Commits content that is in one piece as the object's current version, in one transaction with its event. Resolves when it is synced. */
export const commitContent = (
  request: S3Request,
  context: S3Context,
  asked: { content: NewContent; description: ObjectDescription; reason: CreatedReason },
): Promise<StoredVersion> => {
  const { content, reason } = asked
  const { size, md5: etag, checksums } = content
  const algorithm = checksumAlgorithms.find(one => checksums[one] !== undefined)
  const value = algorithm && checksums[algorithm]
  const checksum = algorithm && value ? { checksum: { algorithm, type: 'FULL_OBJECT' as const, value } } : {}
  const description = { ...asked.description, ...checksum }
  return context.store.commit(content.newFiles, () => {
    const holder = context.store.database.nextNumber()
    context.store.parts.put(holder, 1, content, Date.now())
    return commitVersion(request, context, reason, { holder, size, etag, description })
  })
}

/** Makes the version current and records its event. Call inside a transaction, with the parts in place. */
export const commitVersion = (
  request: S3Request,
  { store, outbox }: S3Context,
  reason: CreatedReason,
  version: Omit<NewVersion, 'bucket' | 'key' | 'condition'>,
): StoredVersion => {
  const { bucket, key, id: requestId, sourceIp, headers } = request
  const committed = store.objects.commit({ ...version, bucket, key, condition: readWriteCondition(headers) })
  if (store.buckets.get(bucket).eventBridge) {
    const event = buildObjectCreated(committed, { bucket, requestId, sourceIp, reason })
    outbox.record(committed.sequence, event)
  }
  return committed
}
