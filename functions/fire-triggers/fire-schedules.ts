import pMap from 'p-map'
import { readCronTab } from '../lib/schedules/schedule-expression.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { SCHEDULER, type ScheduleRecord } from '../lib/storage/schedules/schedule-store.ts'
import { type FiringServices, recordFiring, startRun } from './start-run.ts'

const AT_ONCE = 8
/** What was due while nobody looked is still started for so long. */
const LOOK_BACK_MS = 10 * 60_000
const EXECUTIONS_KEPT = 10

/** Starts the configurations whose schedule of the scheduler has become due. Resolves to the ids of the schedules that fired. */
export const fireSchedules = async (services: FiringServices): Promise<{ schedules: number[] }> => {
  const { schedules, log } = services
  const fired = await pMap(
    (await schedules.list()).filter(({ isEnabled }) => isEnabled),
    schedule =>
      answerClock(schedule, services).catch((error: unknown) => {
        log.error('schedule not fired', { scheduleId: schedule.id, error })
        return []
      }),
    { concurrency: AT_ONCE },
  )
  return { schedules: fired.flat() }
}

const answerClock = async (schedule: ScheduleRecord, services: FiringServices): Promise<number[]> => {
  const { schedules, configurations } = services
  const due = lastDue(schedule, services.now())
  if (due === undefined) return []
  const place = { branchId: defaultBranchId, componentId: SCHEDULER, configId: schedule.configurationId }
  const configuration = await configurations.get(place)
  // A client that deletes the configuration need not say so to the scheduler.
  if (!configuration || configuration.current.content.isDeleted) {
    await schedules.delete(schedule.id)
    return []
  }
  const firing = { ...schedule, kind: 'schedule' as const, configurationId: schedule.targetId }
  const outcome = await startRun(firing, services)
  const executions =
    'job' in outcome ? [{ jobId: String(outcome.job.id), executionTime: due.toISOString() }] : []
  let isOurs = false
  await schedules.update(schedule.id, stored => {
    isOurs = stored.lastRun === schedule.lastRun
    return isOurs
      ? {
          ...stored,
          lastRun: due.toISOString(),
          executions: [...stored.executions, ...executions].slice(-EXECUTIONS_KEPT),
        }
      : stored
  })
  if (isOurs) await recordFiring(firing, { outcome, why: `it was due at ${due.toISOString()}` }, services)
  return [schedule.id]
}

const lastDue = ({ cronTab, timezone, lastRun }: ScheduleRecord, now: Date): Date | undefined => {
  const nextTime = readCronTab(cronTab, timezone)
  let due: Date | undefined
  let at = nextTime(new Date(Math.max(Date.parse(lastRun), now.getTime() - LOOK_BACK_MS)))
  while (at && at <= now) {
    due = at
    at = nextTime(at)
  }
  return due
}
