import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { TriggerRecord } from '../../lib/storage/triggers/trigger-store.ts'

/** The event of a change of a trigger. */
export const triggerEvent = (
  name: Extract<AuditEventName, `trigger${string}`>,
  { id, component, configurationId, runWithTokenId, coolDownPeriodMinutes, tableIds }: TriggerRecord,
) =>
  auditEvent(name, {
    id: String(id),
    words: { component },
    params: { component, configurationId, runWithTokenId, coolDownPeriodMinutes, tableIds },
  })
