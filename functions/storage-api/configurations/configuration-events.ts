import type { Configuration, Row, Version } from '../../lib/storage/configurations/configuration.ts'
import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import type { ConfigurationRequest } from '../find/find-configuration.ts'

type OfComponent = Pick<ConfigurationRequest, 'params'>
type Words = Record<string, string>

/** A version of a configuration as events name it. Clients compare the order of the keys. */
export const configurationFacts = (
  { params: { componentId } }: OfComponent,
  { id }: Pick<Configuration, 'id'>,
  { content, version }: Pick<Version, 'content' | 'version'>,
) => ({ component: componentId, configurationId: id, name: content.name, version })

/** A version of a row, and of its configuration after the change. */
export const rowFacts = (
  request: OfComponent,
  configuration: Configuration,
  { id, name, version }: Pick<Row, 'id' | 'name' | 'version'>,
) => ({
  rowId: id,
  name,
  version,
  configuration: configurationFacts(request, configuration, configuration.current),
})

/** The event of a change of a configuration. */
export const configurationEvent = (
  name: AuditEventName,
  request: OfComponent,
  configuration: Configuration,
  { params = {}, results = {}, words = {} }: { params?: object; results?: object; words?: Words } = {},
) => {
  const facts = configurationFacts(request, configuration, configuration.current)
  return auditEvent(name, {
    id: configuration.id,
    name: facts.name,
    words: { component: facts.component, ...words },
    params: { ...facts, ...params },
    results,
  })
}

/** The event of a change of a row. */
export const rowEvent = (
  name: AuditEventName,
  request: OfComponent,
  configuration: Configuration,
  row: Pick<Row, 'id' | 'name' | 'version'>,
  params: object = {},
) =>
  auditEvent(name, {
    id: row.id,
    name: row.name,
    words: { component: request.params.componentId },
    params: { ...rowFacts(request, configuration, row), ...params },
  })
