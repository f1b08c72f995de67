import type { Principal } from './auth/caller.ts'
import type { AccessRequest } from './auth/policy.ts'
import type { EventOutbox } from './events/event-outbox.ts'
import type { Reply } from './http/reply.ts'
import type { S3Request } from './http/s3-request.ts'
import type { Store } from './storage/store.ts'

export interface BucketSettings {
  /** Whether uploads may name the ACL `private`, which they have anyway. */
  acceptsAcls?: boolean
  /** Whether it answers pages of other origins. */
  answersBrowsers?: boolean
}

/** What operations need. */
export interface S3Context {
  store: Store
  outbox: EventOutbox
  isAllowed: (principal: Principal, access: AccessRequest) => boolean
  settingsOf: (bucket: string) => BucketSettings
}

/** One operation of the S3 API. */
export interface Operation {
  /** Supported query arguments, besides those that select the operation. Any other is refused. */
  query?: readonly string[]
  /** What the caller must be allowed to do; checked before `run`, and before a waiting client may send its body. */
  access: (request: S3Request) => AccessRequest[]
  /** Whether its bucket may be missing. Default: then it is refused with NoSuchBucket. */
  needsNoBucket?: boolean
  run: (request: S3Request, context: S3Context) => Reply | Promise<Reply>
}
