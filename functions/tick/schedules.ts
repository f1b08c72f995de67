import { lastBetween, lookBack, readCronTab } from '../lib/schedules/schedule-expression.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { SCHEDULER, type ScheduleRecord } from '../lib/storage/schedules/schedule-store.ts'
import { answerEach, type FiringServices, fire } from './start-run.ts'

const EXECUTIONS_KEPT = 10

/** Starts the configurations whose schedule of the scheduler has become due. Resolves to the ids of the schedules that fired. */
export const fireSchedules = async (services: FiringServices): Promise<{ schedules: number[] }> => {
  const enabled = (await services.schedules.list()).filter(({ isEnabled }) => isEnabled)
  return {
    schedules: await answerEach('schedule', enabled, schedule => answerClock(schedule, services), services),
  }
}

const answerClock = async (schedule: ScheduleRecord, services: FiringServices): Promise<boolean> => {
  const { schedules, configurations } = services
  const due = lastDue(schedule, services.now())?.toISOString()
  if (due === undefined) return false
  const place = { branchId: defaultBranchId, componentId: SCHEDULER, configId: schedule.configurationId }
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

const lastDue = ({ cronTab, timezone, lastRun }: ScheduleRecord, now: Date): Date | undefined =>
  lastBetween(readCronTab(cronTab, timezone), lookBack(Date.parse(lastRun), now), now)
