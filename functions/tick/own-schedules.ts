import { UserError } from '../lib/errors/errors.ts'
import {
  type ConfigurationSchedule,
  readConfigurationSchedule,
  scheduleIdOf,
  spreadOf,
} from '../lib/schedules/configuration-schedule.ts'
import { lookBack } from '../lib/schedules/schedule-expression.ts'
import type { Configuration, StorageClient } from '../lib/storage-client/storage-client.ts'

/** Starts a run under a name; a run of this name that exists already is a success. */
export type StartRun = (name: string, input: Record<string, unknown>) => Promise<void>

interface ScheduledRunsServices {
  storage: Pick<StorageClient, 'scheduledConfigurations' | 'postEvent'>
  components: readonly string[]
  startRun: StartRun
  log: { warn(message: string, extra: Record<string, unknown>): void }
}

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
  const { id: configId, isDisabled, scheduleDisarmed } = configuration
  // The service sent an event when it was disarmed.
  if (isDisabled || scheduleDisarmed) return undefined
  const id = scheduleIdOf(`${componentId}/${configId}`)
  const schedule = await scheduleOf(componentId, configuration, { id, time }, services)
  // What was due before the schedule was what it is now is not for it to run.
  const changedAt = Date.parse(configuration.currentVersion?.created ?? '') || 0
  const since = lookBack(changedAt, time)
  const due = schedule?.lastDue(since, time)
  if (!schedule || !due) return undefined
  const name = nameOfRun(id, due)
  const trigger = `schedule of the configuration, due ${due.toISOString()}`
  const { overlap } = schedule
  await services.startRun(name, { componentId, configId, overlap, trigger, isOwnSchedule: true })
  return name
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
    // One that cannot be sent must not keep other configurations from running.
    await storage
      .postEvent(event, `schedule-${id.slice(0, 24)}-${version}`)
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
    return undefined
  }
}
