import { randomUUID } from 'node:crypto'
import type { StoredVersion } from '../storage/stored-object.ts'

/** The account that everything on this machine belongs to. */
export const localAccountId = '000000000000'

export type CreatedReason = 'PutObject' | 'POST Object' | 'CompleteMultipartUpload' | 'CopyObject'

/** The EventBridge event of a new object (S3 User Guide, "EventBridge event message structure"). */
export interface ObjectCreatedEvent {
  version: '0'
  id: string
  'detail-type': 'Object Created'
  source: 'aws.s3'
  account: string
  /** ISO 8601, whole seconds. */
  time: string
  region: string
  resources: [string]
  detail: {
    version: '0'
    bucket: { name: string }
    object: {
      /** As it is, not URL-encoded. */
      key: string
      size: number
      etag: string
      'version-id'?: string
      /** Hexadecimal. As text, it grows with each commit of a key. */
      sequencer: string
    }
    'request-id': string
    requester: string
    'source-ip-address': string
    reason: CreatedReason
  }
}

export const buildObjectCreated = (
  version: StoredVersion,
  origin: {
    bucket: string
    region: string
    requestId: string
    sourceIp: string
    reason: CreatedReason
  },
): ObjectCreatedEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: localAccountId,
  time: `${new Date(version.modified).toISOString().slice(0, 19)}Z`,
  region: origin.region,
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
    requester: localAccountId,
    'source-ip-address': origin.sourceIp,
    reason: origin.reason,
  },
})
