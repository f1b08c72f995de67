import { toWriteObject } from '../auth/access.ts'
import { checksumHeader } from '../body/checksums.ts'
import { receiveBody } from '../body/receive-body.ts'
import { buildObjectCreated, type CreatedReason } from '../events/object-created.ts'
import { checkObjectAcl } from '../http/acl.ts'
import { readDescription } from '../http/object-description.ts'
import { readWriteCondition } from '../http/preconditions.ts'
import type { Reply } from '../http/reply.ts'
import { bucketOf, keyOf, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { NewVersion } from '../storage/objects.ts'
import type { NewContent, ObjectDescription, StoredPart, StoredVersion } from '../storage/stored-object.ts'

/** Commits content that arrived in one piece as the object's current version, in one transaction with its event. Resolves when it is synced. */
export const commitContent = (
  request: S3Request,
  context: S3Context,
  {
    content,
    description,
    reason,
  }: { content: NewContent; description: ObjectDescription; reason: CreatedReason },
): Promise<StoredVersion> =>
  context.store.commit(content.newFiles, () => {
    const holder = context.store.database.nextNumber()
    context.store.parts.put(holder, 1, content, Date.now())
    return commitVersion(request, context, reason, {
      holder,
      size: content.size,
      etag: content.md5,
      description,
    })
  })

/** Makes the version current and records its event. Call inside a transaction, with the parts in place. */
export const commitVersion = (
  request: S3Request,
  { store, outbox, region }: S3Context,
  reason: CreatedReason,
  version: Omit<NewVersion, 'bucket' | 'key' | 'condition'>,
): StoredVersion => {
  const bucket = bucketOf(request)
  const committed = store.objects.commit({
    ...version,
    bucket,
    key: keyOf(request),
    condition: readWriteCondition(request.headers),
  })
  if (store.buckets.get(bucket).eventBridge) {
    const origin = { bucket, region, requestId: request.id, sourceIp: request.sourceIp, reason }
    outbox.record(committed.sequence, buildObjectCreated(committed, origin))
  }
  return committed
}

/** Refuses a write before its body is read, when the bucket is missing or takes no such ACL, or the condition does not hold. */
export const checkBeforeWrite = (request: S3Request, { store }: S3Context): void => {
  store.buckets.get(bucketOf(request))
  checkObjectAcl(request.headers, store.buckets.ownership(bucketOf(request)))
  store.objects.check(bucketOf(request), keyOf(request), readWriteCondition(request.headers))
}

/** The checksum of an object whose bytes came in one piece. */
export const describeChecksum = (content: NewContent): Pick<ObjectDescription, 'checksum'> => {
  const [algorithm] = Object.keys(content.checksums) as (keyof typeof content.checksums)[] // written with these keys
  const value = algorithm && content.checksums[algorithm]
  return algorithm === undefined || value === undefined
    ? {}
    : { checksum: { algorithm, type: 'FULL_OBJECT', value } }
}

export const versionHeaders = ({ versionId }: { versionId: string }): Record<string, string> =>
  versionId === 'null' ? {} : { 'x-amz-version-id': versionId }

/** @param ofPart instead of the checksum of the whole */
export const checksumHeaders = (
  { checksum }: ObjectDescription,
  ofPart?: StoredPart['checksums'],
): Record<string, string> => {
  if (checksum === undefined) return {}
  const value = ofPart ? ofPart[checksum.algorithm] : checksum.value
  return value === undefined
    ? {}
    : { [checksumHeader(checksum.algorithm)]: value, 'x-amz-checksum-type': checksum.type }
}

export const encryptionHeaders = ({ encryption }: ObjectDescription): Record<string, string> =>
  encryption === undefined ? {} : { 'x-amz-server-side-encryption': encryption }

/** The answer to a PUT. */
export const writtenReply = (version: StoredVersion): Reply => ({
  status: 200,
  headers: {
    etag: `"${version.etag}"`,
    ...versionHeaders(version),
    ...checksumHeaders(version.description),
    ...encryptionHeaders(version.description),
  },
})

export const putObject: Operation = {
  name: 'PutObject',
  access: toWriteObject,
  run: async (request, context) => {
    const description = readDescription(request.headers)
    checkBeforeWrite(request, context)
    const content = await receiveBody(request, context.store.files)
    const version = await commitContent(request, context, {
      content,
      description: { ...description, ...describeChecksum(content) },
      reason: 'PutObject',
    })
    return writtenReply(version)
  },
}
