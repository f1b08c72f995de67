import { randomUUID } from 'node:crypto'
import { accountId, region } from '../account.ts'
import type { StoredVersion } from '../storage/stored-object.ts'

export type CreatedReason = 'PutObject' | 'POST Object' | 'CompleteMultipartUpload' | 'CopyObject'

export type ObjectCreatedEvent = ReturnType<typeof buildObjectCreated>

/** The EventBridge event of a new object (S3 User Guide, "EventBridge event message structure"). */
export const buildObjectCreated = (
  version: StoredVersion,
  origin: {
    bucket: string
    requestId: string
    sourceIp: string
    reason: CreatedReason
  },
) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: accountId,
  time: `${new Date(version.modified).toISOString().slice(0, 19)}Z`,
  region,
  resources: [`arn:aws:s3:::${origin.bucket}`],
  detail: {
    version: '0',
    bucket: { name: origin.bucket },
    object: {
      key: version.key,
      size: version.size,
      etag: version.etag,
      ...(version.versionId === 'null' ? {} : { 'version-id': version.versionId }),
      sequencer: version.sequence.toString(16).toUpperCase().padStart(18, '0'),
    },
    'request-id': origin.requestId,
    requester: accountId,
    'source-ip-address': origin.sourceIp,
    reason: origin.reason,
  },
})
