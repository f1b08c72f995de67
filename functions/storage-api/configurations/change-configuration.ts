import { UserError } from '../../lib/errors/errors.ts'
import type { Change, Configuration, Row, Version } from '../../lib/storage/configurations/configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { type AuditEventName, auditEvent } from '../../lib/storage/events/audit-event.ts'
import { handlingOf } from '../../lib/storage-client/prefer-header.ts'
import type { ConfigurationWarning } from '../../lib/wire/configuration-body.ts'
import {
  type ConfigurationRequest,
  configurationNotFound,
  findComponent,
  placeOf,
} from '../find/find-configuration.ts'
import { telling } from '../http/record-event.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { checkIfMatch, type Stored } from './configuration-resource.ts'
import { judgeChange, warnOfChange } from './judge-change.ts'
import { isTakenOver } from './take-over.ts'

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

/** In a development branch states are set by their own routes. Error: 400 `storage.components.validation`. */
export const refuseStateInBranch = (
  branchId: number,
  state: unknown,
  what: 'configuration' | 'configuration row',
): void => {
  if (branchId === defaultBranchId || state === undefined) return
  throw new UserError(
    'storage.components.validation',
    `Using 'state' parameter on ${what} update is restricted for dev/branch context. Use direct API call.`,
  )
}

/** Who makes the change, when, and their comment (`description`). */
export const changeBy = (
  { caller }: Pick<Sender, 'caller'>,
  { now, nextId }: Services,
  description: string,
): Change => ({
  at: now().toISOString(),
  token: { id: caller.tokenId, description: caller.description },
  description,
  identifier: String(nextId()),
})

export interface ChangeOptions {
  /** The event of the change, if anything changes. */
  audit: (changed: Configuration, before: Configuration) => ReturnType<typeof auditEvent>
  /** `true`: changes a configuration in the trash; one that is not there is not found. Default false. */
  inTrash?: boolean
  /** The unchanged configuration as one for which the caller answers now. */
  take?: (configuration: Configuration, changed: Change) => Configuration
  /** `true`: restores earlier content. It is stored with a warning even if it cannot run. Default false. */
  comesBack?: boolean
  /** What is known to be wrong with what was sent. */
  warnings?: ConfigurationWarning[]
}

/**
 * Applies a change to the current configuration of the path. `If-Match` is checked against that very version.
 *
 * A configuration of the extractor that cannot run is refused or stored with warnings (see `judgeChange`).
 *
 * Errors: 404 `notFound`, 409 `storage.components.configurations.versionConflict` when other writers were faster for
 * 20 s, 412 `storage.components.configurations.versionChanged`, and what the step throws.
 */
export const changeConfiguration = async (
  request: ConfigurationRequest,
  services: Services,
  step: (configuration: Configuration) => Configuration,
  { audit, inTrash = false, take, comesBack = false, warnings: known = [] }: ChangeOptions,
): Promise<Stored> => {
  const place = placeOf(request, services)
  const component = findComponent(services, place.componentId)
  let warnings: ConfigurationWarning[] = []
  const handling = comesBack ? 'returns' : handlingOf(request.raw.headers)
  const changing = async (configuration: Configuration) => {
    if (configuration.current.content.isDeleted !== inTrash) throw configurationNotFound(place.configId)
    checkIfMatch(request.raw.headers, configuration)
    const wanted = step(configuration)
    const { content } = configuration.current
    // All is looked at of what leaves the trash, and of what is sent again as it is by somebody who wants to know.
    const isNew = inTrash || (handling !== 'unsaid' && wanted === configuration)
    const contents = { before: isNew ? undefined : content, next: wanted.current.content }
    warnings = [...known, ...(await judgeChange({ component, ...contents }, handling))]
    if (wanted.current !== configuration.current || !take) return wanted
    const taken = take(wanted, changeBy(request, services, 'Stored again unchanged'))
    const { componentId } = place
    return (await isTakenOver(configuration, taken, { componentId, caller: request.caller }, services))
      ? taken
      : wanted
  }
  const changed = await services.configurations.change(place, changing, (next, from) =>
    telling(request, services, audit(next, from)),
  )
  if (changed === 'missing') throw configurationNotFound(place.configId)
  if (changed === 'conflict')
    throw new UserError(
      'storage.components.configurations.versionConflict',
      `The configuration ${place.configId} is being changed by many writers at once. Send the request again.`,
    )
  await warnOfChange(request, services, warnings)
  return { ...changed, warnings }
}
