import { UserError } from '../lib/errors/errors.ts'
import { readConfigurationSchedule, scheduleIdOf, spreadOf } from '../lib/schedules/configuration-schedule.ts'
import { lastBetween, lookBack, readCronTab } from '../lib/schedules/schedule-expression.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { SCHEDULER, type ScheduleRecord } from '../lib/storage/schedules/schedule-store.ts'
import type { Configuration, StorageClient } from '../lib/storage-client/storage-client.ts'
import { answerEach, type FiringServices, fire } from './start-run.ts'

/** Starts a run under a name; a run of this name that exists already is a success. */
export type StartRun = (name: string, input: Record<string, unknown>) => Promise<void>

interface ScheduledRunsServices {
  storage: Pick<StorageClient, 'scheduledConfigurations' | 'postEvent'>
  components: readonly string[]
  startRun: StartRun
  log: { warn(message: string, extra: Record<string, unknown>): void }
}

/**
 * Starts the configurations whose own `schedule` has become due. The name of a run is made of the configuration and the
 * moment that it was due at, so that a doubled event starts nothing twice.
 */
export const startScheduledRuns = async (
  time: Date,
  services: ScheduledRunsServices,
): Promise<{ started: string[] }> => {
  const started: string[] = []
  for (const componentId of services.components)
    for await (const configuration of configurationsOf(componentId, services))
      started.push(...(await startIfDue(componentId, configuration, time, services)))
  return { started }
}

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
    const run = dueRun(scheduleIdOf(`stack ${name}`), settings, { since: 0, time })
    if (!run) return []
    const { overlap } = run
    await startRun(run.name, { componentId, configId, overlap, trigger: `schedule ${name}` })
    return [run.name]
  }
  return (await Promise.all(schedules.map(startOne))).flat()
}

/** The run that a schedule is due for, named after the moment: a second look starts nothing. Throws `UserError` `schedule.invalid`. */
const dueRun = (scheduleId: string, settings: unknown, { since, time }: { since: number; time: Date }) => {
  const schedule = readConfigurationSchedule(settings, spreadOf(scheduleId))
  const due = schedule?.lastDue(lookBack(since, time), time)
  if (!schedule || !due) return undefined
  const moment = due.toISOString()
  const name = `schedule-${scheduleId.slice(0, 24)}-${moment.replaceAll(/[^0-9TZ]/g, '')}`
  return { name, moment, overlap: schedule.overlap }
}

/** A schedule that cannot be read gets an event for its author while the change is this young. */
const NEWS_MS = 2 * 60_000

const startIfDue = async (
  componentId: string,
  { id: configId, version, configuration, currentVersion, isDisabled, scheduleDisarmed }: Configuration,
  time: Date,
  { storage, startRun, log }: ScheduledRunsServices,
): Promise<string[]> => {
  // The service sent an event when it was disarmed.
  if (isDisabled || scheduleDisarmed) return []
  const id = scheduleIdOf(`${componentId}/${configId}`)
  // What was due before the schedule was what it is now is not for it to run.
  const since = Date.parse(currentVersion?.created ?? '') || 0
  let run: ReturnType<typeof dueRun>
  try {
    run = dueRun(id, configuration['schedule'], { since, time })
  } catch (error) {
    // One author's mistake must not keep the configurations of others from running.
    if (!(error instanceof UserError)) throw error
    log.warn('schedule not valid', { componentId, configId, reason: error.message })
    if (time.getTime() - since > NEWS_MS) return []
    const message = `The configuration will not run by itself: ${error.message}`
    const event = { component: componentId, configurationId: configId, type: 'error' as const, message }
    // One that cannot be sent must not keep other configurations from running.
    await storage
      .postEvent(event, `schedule-${id.slice(0, 24)}-${version}`)
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
  }
  if (!run) return []
  const { name, moment, overlap } = run
  const trigger = `schedule of the configuration, due ${moment}`
  await startRun(name, { componentId, configId, overlap, trigger, isOwnSchedule: true })
  return [name]
}

const EXECUTIONS_KEPT = 10

/** Starts the configurations whose schedule of the scheduler has become due. Resolves to the ids of the schedules that fired. */
export const fireSchedules = async (services: FiringServices): Promise<{ schedules: number[] }> => {
  const enabled = (await services.schedules.list()).filter(({ isEnabled }) => isEnabled)
  return {
    schedules: await answerEach('schedule', enabled, schedule => answerClock(schedule, services), services),
  }
}

const answerClock = async (schedule: ScheduleRecord, services: FiringServices): Promise<boolean> => {
  const { schedules, configurations, now } = services
  const { cronTab, timezone, lastRun, configurationId: configId } = schedule
  const since = lookBack(Date.parse(lastRun), now())
  const due = lastBetween(readCronTab(cronTab, timezone), since, now())?.toISOString()
  if (due === undefined) return false
  const place = { branchId: defaultBranchId, componentId: SCHEDULER, configId }
  const configuration = await configurations.get(place)
  // A client that deletes the configuration need not say so to the scheduler.
  if (!configuration || configuration.current.content.isDeleted) {
    await schedules.delete(schedule.id)
    return false
  }
  await fire<ScheduleRecord>(
    { ...schedule, kind: 'schedule', configurationId: schedule.targetId },
    {
      records: schedules,
      keep: (stored, outcome) => {
        const started = 'job' in outcome ? [{ jobId: String(outcome.job.id), executionTime: due }] : []
        const executions = [...stored.executions, ...started].slice(-EXECUTIONS_KEPT)
        return { ...stored, lastRun: due, executions }
      },
      why: `it was due at ${due}`,
    },
    services,
  )
  return true
}
