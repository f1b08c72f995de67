import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import type { Caller } from '../http/authenticate.ts'
import { mayUseBucket, mayUseComponent } from '../http/rights.ts'

/**
 * Decides alone who may read an event: its sender, everybody who may read its table or bucket, everybody who may use
 * the component of its configuration, and those who manage all buckets.
 */
export const mayReadEvent = (caller: Caller, event: EventRecord): boolean => {
  if (caller.canManageBuckets || event.token.id === caller.tokenId) return true
  const bucketId = bucketIdOf(event)
  if (bucketId !== undefined) return mayUseBucket(caller, bucketId, 'read')
  return event.configurationId !== null && mayUseComponent(caller, event.component)
}

const bucketIdOf = ({ objectType, objectId }: EventRecord): string | undefined => {
  if (objectType === null) return undefined
  return objectType === 'bucket' ? objectId : objectId.slice(0, Math.max(objectId.lastIndexOf('.'), 0))
}
