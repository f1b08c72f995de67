import type { ItemWrite } from '../../lib/items/item-table.ts'
import { type AuditEventName, type AuditFacts, auditEvent } from '../../lib/storage/events/audit-event.ts'
import { type EventRecord, emptyEvent } from '../../lib/storage/events/event-store.ts'
import type { Services } from '../services/services.ts'
import { requestContext } from './request-context.ts'
import type { Sender } from './route-definition.ts'

type Given = Pick<EventRecord, 'component' | 'message' | 'type'> & Partial<EventRecord>

/** Stores an event in the name of the caller. */
const storeEvent = (sender: Sender, { events, nextId, now }: Services, given: Given): Promise<EventRecord> =>
  events.create(nextId, eventMaker(sender, now(), given))

/** An event in the name of the caller, once it has an id. Missing fields are empty. */
export const eventMaker =
  ({ caller, runId, branchId, raw }: Sender, now: Date, given: Given) =>
  (id: number): EventRecord => ({
    ...emptyEvent,
    runId,
    created: now.toISOString(),
    context: JSON.stringify(requestContext(raw)),
    branchId,
    token: { id: caller.tokenId, name: caller.description },
    ...given,
    id,
  })

/**
 * Records in an event what a request has done. The change is stored already, so an event that cannot be stored does not
 * fail the request: it is logged, with what it would have said.
 */
export const recordEvent = async (sender: Sender, services: Services, given: Given): Promise<void> => {
  await storeEvent(sender, services, given).catch((error: unknown) => {
    const { event, component, message, objectType, objectId } = given
    services.log.error('event not stored', {
      event,
      component,
      said: message.slice(0, LOGGED_MESSAGE),
      objectType,
      objectId,
      branchId: sender.branchId,
      tokenId: sender.caller.tokenId,
      error,
    })
  })
}

/** What tells of a change, for its transaction. */
export const telling = (sender: Sender, { events, nextId, now }: Services, given: Given): ItemWrite[] =>
  events.telling(eventMaker(sender, now(), given)(nextId()))

/** The same of a change that clients know by its name. */
export const tellingAudit = (
  sender: Sender,
  services: Services,
  name: AuditEventName,
  facts: AuditFacts = {},
): ItemWrite[] => telling(sender, services, auditEvent(name, facts))

/** Records a change that clients know by its name, as `recordEvent` does. */
export const recordAudit = (
  sender: Sender,
  services: Services,
  name: AuditEventName,
  facts: AuditFacts = {},
): Promise<void> => recordEvent(sender, services, auditEvent(name, facts))

const LOGGED_MESSAGE = 500
