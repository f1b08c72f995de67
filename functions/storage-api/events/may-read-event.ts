import { z } from '@hono/zod-openapi'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import { mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { Caller } from '../services/services.ts'

/**
 * Decides alone who may read an event: its sender, the master token, and everybody who may read what it is about. Those
 * who manage all buckets read all events but those about files and tokens.
 */
export const mayReadEvent = (caller: Caller, event: EventRecord): boolean => {
  if (caller.isMaster || event.token.id === caller.tokenId) return true
  if (event.objectType === 'token') return event.objectId === caller.tokenId
  if (event.objectType === 'file') return caller.canReadAllFileUploads
  if (caller.canManageBuckets) return true
  const bucketId = bucketIdOf(event)
  if (bucketId !== undefined) return mayUseBucket(caller, bucketId, 'read')
  const component = componentOf(event)
  return component !== undefined && mayUseComponent(caller, component)
}

const bucketIdOf = ({ objectType, objectId }: EventRecord): string | undefined => {
  if (objectType === 'bucket') return objectId
  return objectType === 'table' ? objectId.slice(0, Math.max(objectId.lastIndexOf('.'), 0)) : undefined
}

const ofConfiguration = z.object({ component: z.string() })
const ofRow = z.object({ configuration: ofConfiguration })

/** The component whose configuration the event is about. */
const componentOf = ({ objectType, params, configurationId, component }: EventRecord): string | undefined => {
  if (objectType === 'componentConfiguration')
    return ofConfiguration.safeParse(JSON.parse(params)).data?.component
  if (objectType === 'componentConfigurationRow')
    return ofRow.safeParse(JSON.parse(params)).data?.configuration.component
  return configurationId === null ? undefined : component
}
