import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

/** The component whose configurations say when another one runs. */
export const SCHEDULER = 'keboola.scheduler'

const scheduleRecord = z.object({
  /** The internal id of its configuration of the scheduler: each of those is activated once. */
  id: z.number(),
  configurationId: z.string(),
  /** Of the configuration: later ones count when they are activated, too. */
  version: z.number(),
  cronTab: z.string(),
  timezone: z.string(),
  isEnabled: z.boolean(),
  component: z.string(),
  targetId: z.string(),
  mode: z.string(),
  /** The token that activated it: its runs may do no more. */
  runWithTokenId: z.number(),
  /** The tokens that stored what was activated, which bound its runs, too. */
  tokenIds: z.array(z.string()).default([]),
  /** What was due up to then is answered. */
  lastRun: z.string(),
  /** The newest runs, oldest first. */
  executions: z.array(z.object({ jobId: z.string(), executionTime: z.string() })),
  revision: z.number(),
})

export type ScheduleRecord = z.infer<typeof scheduleRecord>

/** The activated configurations of the scheduler. */
export const createScheduleStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'ACTIVE-SCHEDULES',
    schema: scheduleRecord,
    name: 'schedule',
    busyCode: 'storage.triggers.busy',
  })
