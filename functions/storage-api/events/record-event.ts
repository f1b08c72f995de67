import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../../lib/storage/events/event-store.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services.ts'

type Sender = Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'runId' | 'branchId'>
type Given = Pick<EventRecord, 'component' | 'message' | 'type'> & Partial<EventRecord>

/** Stores an event in the name of the caller. Missing fields are empty. */
export const recordEvent = (
  { caller, runId, branchId }: Sender,
  { events, nextId, now }: Pick<Services, 'events' | 'nextId' | 'now'>,
  given: Given,
): Promise<EventRecord> =>
  events.create(nextId, id => ({
    uuid: randomUUID(),
    event: '',
    description: '',
    runId,
    configurationId: null,
    created: now().toISOString(),
    params: '{}',
    results: '{}',
    performance: '{}',
    duration: null,
    branchId,
    objectType: null,
    objectId: '',
    token: { id: caller.tokenId, name: caller.description },
    ...given,
    id,
  }))
