import pMap from 'p-map'
import { hexDigest } from '../lib/digests.ts'
import { UserError } from '../lib/errors/errors.ts'
import { readConfigurationSchedule } from '../lib/schedules/configuration-schedule.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { isActivated, OWN, type ScheduleRecord, triggerOf } from '../lib/storage/schedules/schedule-store.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'

/** Starts a run under a name; a run of this name that exists already is a success. */
export type StartRun = (name: string, input: Record<string, unknown>) => Promise<void>

/** When a configuration runs by itself, whoever says it. */
interface Schedule {
  /** What says it: names its runs, and places them in its flexible window. */
  of: string
  settings: unknown
  /** What was due before is not for it to run. */
  since: Date
  /** Of the configuration that says it. */
  version: number
  /** What its runs show as what asked for them. */
  trigger: string
  componentId: string
  configId: string
  /** Tokens beyond whose rights its runs must not go. */
  tokenIds?: readonly string[]
  /** Looked at when it is due: whether what says it is gone, and it with that, or what runs is disabled. */
  isOff?: () => Promise<boolean>
}

interface DueServices {
  storage: Pick<StorageClient, 'postEvent'>
  startRun: StartRun
  log: {
    warn(message: string, extra: Record<string, unknown>): void
    error(message: string, extra: Record<string, unknown>): void
  }
}

const AT_ONCE = 8
/** What was due while nobody looked is still started for so long. */
const LOOK_BACK_MS = 10 * 60_000
/** A schedule that cannot be read gets an event for its author while the change is this young. */
const NEWS_MS = 2 * 60_000

/**
 * Starts what is due. The name of a run is made of the schedule and the moment that it was due at, so that a doubled look
 * starts nothing twice, and one that died is made up for by the next.
 */
export const startDueRuns = async (
  time: Date,
  schedules: AsyncIterable<Schedule>,
  services: DueServices,
): Promise<{ started: string[] }> => {
  const failures: unknown[] = []
  const startOne = async (schedule: Schedule): Promise<string[]> => {
    try {
      return await startIfDue(schedule, time, services)
    } catch (error) {
      // One that cannot be started keeps no other from running.
      services.log.error('schedule not started', { schedule: schedule.of, error })
      failures.push(error)
      return []
    }
  }
  const started = (await pMap(schedules, startOne, { concurrency: AT_ONCE })).flat()
  if (failures.length > 0) throw failures[0]
  return { started }
}

const startIfDue = async (schedule: Schedule, time: Date, services: DueServices): Promise<string[]> => {
  const { of, since, trigger, componentId, configId, tokenIds } = schedule
  const from = new Date(Math.max(since.getTime(), time.getTime() - LOOK_BACK_MS))
  const settings = await readOrTell(schedule, time, services)
  const due = settings?.isEnabled ? settings.lastDue(from, time)?.toISOString() : undefined
  if (settings === undefined || due === undefined || (await schedule.isOff?.())) return []
  const name = `schedule-${hexDigest(of, 24)}-${due.replaceAll(/[^0-9TZ]/g, '')}`
  const { overlap } = settings
  const asks = `${trigger}, due ${due}`
  await services.startRun(name, {
    componentId,
    configId,
    overlap,
    trigger: asks,
    ...(tokenIds && { tokenIds }),
  })
  return [name]
}

/** What a schedule says. One that cannot be read is told to its author. */
const readOrTell = async (
  { of, settings, since, version, componentId, configId }: Schedule,
  time: Date,
  { storage, log }: DueServices,
) => {
  try {
    return readConfigurationSchedule(settings, of)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    log.warn('schedule not valid', { componentId, configId, reason: error.message })
    if (time.getTime() - since.getTime() > NEWS_MS) return undefined
    const message = `The configuration will not run by itself: ${error.message}`
    const event = { component: componentId, configurationId: configId, type: 'error' as const, message }
    // One that cannot be sent must not keep other configurations from running.
    await storage
      .postEvent(event, `schedule-${hexDigest(of, 24)}-${version}`)
      .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
    return undefined
  }
}

/** Those of our own service. */
export async function* schedulesOfService(
  stores: Pick<StorageStores, 'schedules' | 'configurations'>,
  components: readonly string[],
): AsyncGenerator<Schedule> {
  for (const record of await stores.schedules.list()) {
    const { saidBy, component: componentId, targetId: configId, runWithTokenId, tokenIds } = record
    const schedule = {
      componentId,
      configId,
      of: `${saidBy.componentId}/${saidBy.configId}`,
      settings: JSON.parse(record.settings),
      since: new Date(record.since),
      version: record.version,
      trigger: triggerOf(record),
    }
    if (isActivated(record))
      yield {
        ...schedule,
        tokenIds: [...new Set([String(runWithTokenId), ...tokenIds])],
        isOff: async () => (await dropIfGone(record, stores)) || isDisabled(record, stores),
      }
    else if (components.includes(componentId)) yield schedule
  }
}

/** A client that deletes a configuration of the scheduler need not say so to the scheduler. */
const dropIfGone = async (
  { id, saidBy }: ScheduleRecord,
  { schedules, configurations }: Pick<StorageStores, 'schedules' | 'configurations'>,
): Promise<boolean> => {
  const said = await configurations.get({ branchId: defaultBranchId, ...saidBy })
  if (said && !said.current.content.isDeleted && Number(said.internalId) === id) return false
  await schedules.delete(id)
  return true
}

/** The own schedule of a configuration is switched off with it; one that was activated knows nothing of its target. */
const isDisabled = async (
  { component: componentId, targetId: configId }: ScheduleRecord,
  { configurations }: Pick<StorageStores, 'configurations'>,
): Promise<boolean> => {
  const target = await configurations.get({ branchId: defaultBranchId, componentId, configId })
  return target?.current.content.isDisabled === true
}

/** Those of a hosted service, which knows the key `schedule` as any other. */
export async function* schedulesOfHosted(
  storage: Pick<StorageClient, 'configurations'>,
  components: readonly string[],
): AsyncGenerator<Schedule> {
  for (const componentId of components)
    for await (const { id: configId, ...stored } of configurationsOf(componentId, storage))
      if (!stored.isDisabled)
        yield {
          componentId,
          configId,
          of: `${componentId}/${configId}`,
          settings: stored.configuration['schedule'],
          since: new Date(Date.parse(stored.currentVersion?.created ?? '') || 0),
          version: stored.version,
          trigger: OWN,
        }
}

/** None for a component that the service does not know. */
async function* configurationsOf(componentId: string, storage: Pick<StorageClient, 'configurations'>) {
  try {
    yield* storage.configurations(componentId)
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

/** Those of the stack. Whoever deploys answers for them. */
export async function* schedulesOfStack(schedules: readonly StackSchedule[]): AsyncGenerator<Schedule> {
  for (const { name, componentId, configId, ...settings } of schedules)
    yield {
      componentId,
      configId,
      settings,
      of: `stack ${name}`,
      since: new Date(0),
      version: 0,
      trigger: `schedule ${name}`,
    }
}
