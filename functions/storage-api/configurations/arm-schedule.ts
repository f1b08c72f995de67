import { nextVersion } from '../../lib/storage/configurations/change-configuration.ts'
import type { Change, Configuration } from '../../lib/storage/configurations/configuration.ts'
import { hasSchedule } from '../../lib/storage/configurations/schedule-notes.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Caller } from '../http/authenticate.ts'
import { mayUseBucket } from '../http/rights.ts'
import type { Services } from '../services.ts'
import type { ConfigurationRequest } from './find-configuration.ts'

/**
 * A scheduled run has the rights of the token that stored the configuration last. When that token may do less than the
 * one before, the schedule is disarmed instead of failing: its author may not have meant to reduce the rights.
 *
 * It is armed again when a token that may do as much as the first stores the configuration, or when the schedule is
 * removed and set again. With the latter a lesser token takes it over on purpose.
 *
 * `rearming`: the change to record when an unchanged configuration is armed.
 */
export const armSchedule = async (
  before: Configuration,
  next: Configuration,
  { caller }: Pick<ConfigurationRequest, 'caller'>,
  services: Pick<Services, 'tokens'>,
  rearming: Change | undefined,
): Promise<Configuration> => {
  const isVersion = next.current !== before.current
  if (!isVersion && !(rearming && before.disarmed)) return next
  const { disarmed: _, ...armed } = next
  const armedBy = before.disarmed?.armedBy ?? (hasSchedule(before) ? before.current.changed.token : undefined)
  const isArmed = !armedBy || !hasSchedule(next) || (await mayDoAsMuch(caller, armedBy.id, services))
  if (isArmed) return isVersion || !rearming ? armed : nextVersion(armed, {}, rearming)
  return isVersion ? { ...next, disarmed: { by: tokenOf(caller), armedBy } } : next
}

const tokenOf = ({ tokenId, description }: Caller) => ({ id: tokenId, description })

/** Whether the caller may read and write everything that the other token may. Both may use the component. */
const mayDoAsMuch = async (
  caller: Caller,
  tokenId: string,
  { tokens }: Pick<Services, 'tokens'>,
): Promise<boolean> => {
  if (caller.canManageBuckets || caller.tokenId === tokenId) return true
  const token = await tokens.get(Number(tokenId))
  // The master token or a deleted one: its rights are unknown.
  if (!token || token.canManageBuckets) return false
  return Object.entries(token.bucketPermissions).every(([bucketId, permission]) =>
    mayUseBucket(caller, bucketId, permission),
  )
}

/** Records in an event and in the log that the schedule has been disarmed. */
export const recordDisarming = async (
  before: Configuration | undefined,
  { id: configId, disarmed }: Configuration,
  request: ConfigurationRequest,
  services: Services,
): Promise<void> => {
  if (!disarmed || before?.disarmed) return
  const { componentId } = request.params
  const { by, armedBy } = disarmed
  services.log.info('schedule disarmed', { componentId, configId, by, armedBy })
  await recordEvent(request, services, {
    type: 'warn',
    event: 'storage.scheduleDisarmed',
    component: componentId,
    configurationId: configId,
    message:
      `The schedule was disarmed: the token "${by.description}" stored the configuration and may do less than the ` +
      `token "${armedBy.description}", whose rights its runs had. It runs again when a token that may do as much ` +
      `stores the configuration. To run it with the rights of "${by.description}", remove the schedule and set it again.`,
    params: JSON.stringify({ by, armedBy }),
  })
}
