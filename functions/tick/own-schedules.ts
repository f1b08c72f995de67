import { UserError } from '../lib/errors/errors.ts'
import {
  type ConfigurationSchedule,
  readConfigurationSchedule,
  scheduleIdOf,
  spreadOf,
} from '../lib/schedules/configuration-schedule.ts'
import { lookBack } from '../lib/schedules/schedule-expression.ts'
import { authorIdsOf, findRunRights } from '../lib/storage/tokens/run-author.ts'
import type { ComponentEvent } from '../lib/storage-client/component-event.ts'
import type { Configuration, StorageClient } from '../lib/storage-client/storage-client.ts'
import type { TokenClient } from '../lib/storage-client/token-client.ts'

/** Starts a run under a name; a run of this name that exists already is a success. */
export type StartRun = (name: string, input: Record<string, unknown>) => Promise<void>

interface ScheduledRunsServices {
  storage: Pick<StorageClient, 'scheduledConfigurations' | 'postEvent'>
  tokens: Pick<TokenClient, 'token'>
  components: readonly string[]
  startRun: StartRun
  log: { warn(message: string, extra: Record<string, unknown>): void }
}

/** A moment that was due is looked at again in the minutes after it; the event for its author is recorded in the first. */
const MINUTE_MS = 60_000
/** A schedule that cannot be read gets an event for its author while the change is this young. */
const NEWS_MS = 2 * 60_000

/**
 * Starts the configurations whose own `schedule` has become due. The name of a run is made of the configuration and the
 * moment that it was due at, so that a doubled event starts nothing twice.
 */
export const startScheduledRuns = async (
  time: Date,
  services: ScheduledRunsServices,
): Promise<{ started: string[] }> => {
  const started: string[] = []
  for (const componentId of services.components) {
    for await (const configuration of configurationsOf(componentId, services)) {
      const name = await startIfDue(componentId, configuration, time, services)
      if (name !== undefined) started.push(name)
    }
  }
  return { started }
}

/** A schedule of the stack: as that of a configuration, which does not say it itself. */
interface StackSchedule {
  name: string
  componentId: string
  configId: string
}

/** Starts the configurations that a schedule of the stack is due for. Whoever deploys answers for them. */
export const startStackRuns = async (
  time: Date,
  { schedules, startRun }: { schedules: readonly StackSchedule[]; startRun: StartRun },
): Promise<string[]> => {
  const startOne = async ({ name, componentId, configId, ...settings }: StackSchedule) => {
    const id = scheduleIdOf(`stack ${name}`)
    const schedule = readConfigurationSchedule(settings, spreadOf(id))
    const due = schedule?.lastDue(lookBack(0, time), time)
    if (!schedule || !due) return []
    const { overlap } = schedule
    const run = nameOfRun(id, due)
    await startRun(run, { componentId, configId, overlap, trigger: `schedule ${name}` })
    return [run]
  }
  return (await Promise.all(schedules.map(startOne))).flat()
}

/** Of a schedule, at the moment that it was due: a second look starts nothing. */
const nameOfRun = (scheduleId: string, due: Date): string =>
  `schedule-${scheduleId.slice(0, 24)}-${due.toISOString().replaceAll(/[^0-9TZ]/g, '')}`

/** None for a component that the service does not know. */
async function* configurationsOf(
  componentId: string,
  { storage, log }: ScheduledRunsServices,
): AsyncGenerator<Configuration> {
  // The schedules of the others count more than that of one which nobody can read.
  const onTooLarge = (place: object) => log.warn('configuration too large', { componentId, ...place })
  try {
    yield* storage.scheduledConfigurations(componentId, { onTooLarge })
  } catch (error) {
    if (!(error instanceof UserError && error.status === 404)) throw error
  }
}

const startIfDue = async (
  componentId: string,
  configuration: Configuration,
  time: Date,
  services: ScheduledRunsServices,
): Promise<string | undefined> => {
  const { id: configId, isDisabled } = configuration
  if (isDisabled) return undefined
  const id = scheduleIdOf(`${componentId}/${configId}`)
  const schedule = await scheduleOf(componentId, configuration, { id, time }, services)
  // What was due before the schedule was what it is now is not for it to run.
  const changedAt = Date.parse(configuration.currentVersion?.created ?? '') || 0
  const since = lookBack(changedAt, time)
  const due = schedule?.lastDue(since, time)
  if (!schedule || !due) return undefined
  const name = nameOfRun(id, due)
  const trigger = `schedule of the configuration, due ${due.toISOString()}`
  const isNews = time.getTime() - due.getTime() < MINUTE_MS
  if (!(await mayRun(componentId, configuration, { name, isNews }, services))) return undefined
  const { overlap } = schedule
  await services.startRun(name, { componentId, configId, overlap, trigger, isOwnSchedule: true })
  return name
}

/**
 * Whether the configuration's authors have the rights to run it now. The run looks again when it begins; looking here too
 * keeps a schedule without rights from making a failed execution each time.
 */
const mayRun = async (
  componentId: string,
  configuration: Configuration,
  { name, isNews }: { name: string; isNews: boolean },
  { tokens, storage, log }: ScheduledRunsServices,
): Promise<boolean> => {
  const { id: configId, scheduleDisarmed } = configuration
  if (scheduleDisarmed) {
    // The service sent an event when that happened.
    log.warn('schedule disarmed', { componentId, configId, by: scheduleDisarmed.by.description })
    return false
  }
  try {
    await findRunRights(authorIdsOf(configuration), componentId, tokens)
    return true
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    log.warn('schedule without rights', { componentId, configId, reason: error.message })
    const message = `The run was not started: ${error.message}`
    const event = { component: componentId, configurationId: configId, type: 'error' as const, message }
    if (isNews) await tell(event, `${name}-refused`, { storage, log })
    return false
  }
}

/** An event that cannot be sent must not keep other configurations from running. */
const tell = async (
  event: ComponentEvent,
  idempotencyKey: string,
  { storage, log }: Pick<ScheduledRunsServices, 'storage' | 'log'>,
): Promise<void> => {
  await storage
    .postEvent(event, idempotencyKey)
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
}

const scheduleOf = async (
  componentId: string,
  { id: configId, version, configuration, currentVersion }: Configuration,
  { id, time }: { id: string; time: Date },
  { storage, log }: ScheduledRunsServices,
): Promise<ConfigurationSchedule | undefined> => {
  try {
    return readConfigurationSchedule(configuration['schedule'], spreadOf(id))
  } catch (error) {
    // One author's mistake must not keep the configurations of others from running.
    if (!(error instanceof UserError)) throw error
    log.warn('schedule not valid', { componentId, configId, reason: error.message })
    const changedAt = Date.parse(currentVersion?.created ?? '') || 0
    if (time.getTime() - changedAt > NEWS_MS) return undefined
    const message = `The configuration will not run by itself: ${error.message}`
    const event = { component: componentId, configurationId: configId, type: 'error' as const, message }
    await tell(event, `schedule-${id.slice(0, 24)}-${version}`, { storage, log })
    return undefined
  }
}
