import { findRow } from '../../lib/storage/configurations/change-rows.ts'
import type { Configuration } from '../../lib/storage/configurations/configuration.ts'
import type { AuditEventName } from '../../lib/storage/events/audit-event.ts'
import { type ChangeOptions, changeConfiguration } from '../configurations/change-configuration.ts'
import { rowEvent } from '../configurations/configuration-events.ts'
import { rowResource } from '../configurations/configuration-resource.ts'
import type { ConfigurationRequest } from '../find/find-configuration.ts'
import type { Services } from '../services/services.ts'

interface RowChange extends Omit<ChangeOptions, 'audit'> {
  event: AuditEventName
  step: (configuration: Configuration) => Configuration
  /** What the event says besides. */
  params?: object
}

/** Applies a change of a row to the configuration of the path. Resolves to the row on the wire. */
export const storeRow = async (
  request: ConfigurationRequest,
  services: Services,
  rowId: string,
  { event, step, params, ...options }: RowChange,
) => {
  const audit = (stored: Configuration) => rowEvent(event, request, stored, findRow(stored, rowId), params)
  const configuration = await changeConfiguration(request, services, step, { ...options, audit })
  return rowResource(findRow(configuration, rowId), configuration)
}
