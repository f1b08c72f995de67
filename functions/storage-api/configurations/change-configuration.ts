import { UserError } from '../../lib/errors/errors.ts'
import { armSchedule, disarmingEvent } from '../../lib/storage/configurations/arm-schedule.ts'
import type { Change, Configuration } from '../../lib/storage/configurations/configuration.ts'
import type { auditEvent } from '../../lib/storage/events/audit-event.ts'
import {
  type ConfigurationRequest,
  configurationNotFound,
  findComponent,
  placeOf,
} from '../find/find-configuration.ts'
import { recordEvent } from '../http/record-event.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { checkIfMatch } from './configuration-resource.ts'
import { judgeChange, type Verdict, warnOfChange } from './judge-change.ts'

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

const editorOf = ({ caller }: ConfigurationRequest) => ({
  author: { id: caller.tokenId, description: caller.description },
  rights: caller,
  isMaster: caller.isMaster,
})

export interface ChangeOptions {
  /** The event of the change, if anything changes. */
  audit: (changed: Configuration, before: Configuration) => ReturnType<typeof auditEvent>
  /** `true`: changes a configuration in the trash; one that is not there is not found. Default false. */
  inTrash?: boolean
  /** The unchanged configuration as one for which the caller answers now: that may arm its schedule again. */
  take?: (configuration: Configuration, changed: Change) => Configuration
  /** `true`: restores earlier content. It is stored with a warning even if it cannot run. Default false. */
  comesBack?: boolean
}

/**
 * Applies a change to the current configuration of the path. `If-Match` is checked against that very version.
 *
 * A configuration of the extractor that could never run is refused with the extractor's own code.
 *
 * Errors: 404 `notFound`, 409 `storage.components.configurations.versionConflict` when other writers were faster for
 * 20 s, 412 `storage.components.configurations.versionChanged`, and what the step throws.
 */
export const changeConfiguration = async (
  request: ConfigurationRequest,
  services: Services,
  step: (configuration: Configuration) => Configuration,
  { audit, inTrash = false, take, comesBack = false }: ChangeOptions,
): Promise<Configuration> => {
  const place = placeOf(request, services)
  const component = findComponent(services, place.componentId)
  const editor = editorOf(request)
  let before: Configuration | undefined
  let isChanged = false
  let verdict: Verdict = { warnings: [] }
  const changed = await services.configurations.change(place, async configuration => {
    before = configuration
    if (configuration.current.content.isDeleted !== inTrash) throw configurationNotFound(place.configId)
    checkIfMatch(request.raw.headers, configuration)
    const wanted = step(configuration)
    verdict = await judgeChange(component, configuration, wanted)
    if (verdict.refusal && !comesBack) throw verdict.refusal
    const said = configuration.disarmed ? 'Schedule armed' : 'Stored again unchanged'
    const taken = () => take?.(configuration, changeBy(request, services, said))
    const arming = { place, editor, take: taken }
    const next = await armSchedule(configuration, wanted, arming, services)
    isChanged = next !== configuration
    return next
  })
  if (changed === 'missing') throw configurationNotFound(place.configId)
  if (changed === 'conflict')
    throw new UserError(
      'storage.components.configurations.versionConflict',
      `The configuration ${place.configId} is being changed by many writers at once. Send the request again.`,
    )
  if (isChanged && before) await recordEvent(request, services, audit(changed, before))
  const disarming = disarmingEvent(before, changed, place.componentId)
  if (disarming) await recordEvent(request, services, disarming)
  await warnOfChange(request, services, verdict)
  return changed
}
