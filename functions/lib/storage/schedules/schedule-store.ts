import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'
import { idSortKey } from '../db/ids.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

/** The component whose configurations say when another one runs. */
export const SCHEDULER = 'keboola.scheduler'

const scheduleRecord = z.object({
  /** The internal id of the configuration that says it. */
  id: z.number(),
  /** That configuration: one of the scheduler, which was activated, or the one that runs, by its key `schedule`. */
  saidBy: z.object({ componentId: z.string(), configId: z.string() }),
  version: z.number(),
  /** JSON of what it says: see `readSchedule`. */
  settings: z.string(),
  component: z.string(),
  targetId: z.string(),
  /** The token that activated it, or stored it last. */
  runWithTokenId: z.number(),
  /** The other tokens that bound its runs, besides those that stored the target. */
  tokenIds: z.array(z.string()),
  /** What was due before is not for it to run. */
  since: z.string(),
  revision: z.number(),
})

export type ScheduleRecord = z.infer<typeof scheduleRecord>

/** Whether a client activated it, rather than that the target says it itself. */
export const isActivated = ({ saidBy }: ScheduleRecord): boolean => saidBy.componentId === SCHEDULER

/** What runs by the key `schedule` show as what asked for them. */
export const OWN = 'schedule of the configuration'

/** What its runs show as what asked for them. */
export const triggerOf = (schedule: ScheduleRecord): string =>
  isActivated(schedule) ? `schedule ${schedule.id}` : OWN

const partition = 'SCHEDULES'

/** What runs by a clock: configurations of the scheduler that were activated, and those with a key `schedule`. */
export const createScheduleStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition,
    schema: scheduleRecord,
    name: 'schedule',
    busyCode: 'storage.triggers.busy',
  })

/** The item of a schedule. */
export const keyOfSchedule = ({ id }: Pick<ScheduleRecord, 'id'>) => ({ pk: partition, sk: idSortKey(id) })
