import type { ItemWrite } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import { keyOfSchedule, SCHEDULER, type ScheduleRecord } from '../schedules/schedule-store.ts'
import type { Configuration, ConfigurationPlace } from './configuration.ts'

/**
 * What is written with the head `next` of a configuration, or when it is gone: its own schedule. In development branches nothing runs
 * by a clock.
 */
export const writingSchedule = (
  { branchId, ...saidBy }: ConfigurationPlace,
  next: Configuration | undefined,
  before: Configuration | undefined,
): ItemWrite[] => {
  if (branchId !== defaultBranchId || next?.current === before?.current) return []
  const is = next && ownSchedule(saidBy, next)
  if (is) return [{ action: 'put', key: keyOfSchedule(is), item: { ...is } }]
  const was = before && ownSchedule(saidBy, before)
  return was ? [{ action: 'delete', key: keyOfSchedule(was) }] : []
}

/** A longer one cannot be read, and would be too much for an item. */
const MAX_SETTINGS = 2_000

/** Also one that is switched off or cannot be read: the clock says so. */
const ownSchedule = (
  saidBy: ScheduleRecord['saidBy'],
  { internalId, current: { version, content, changed } }: Configuration,
): ScheduleRecord | undefined => {
  const { schedule } = JSON.parse(content.configuration)
  const isNone = content.isDeleted || schedule === undefined || schedule === null
  if (isNone || saidBy.componentId === SCHEDULER) return undefined
  const settings = JSON.stringify(content.isDisabled ? switchedOff(schedule) : schedule)
  return {
    id: Number(internalId),
    saidBy,
    version,
    settings: settings.length > MAX_SETTINGS ? JSON.stringify(settings.slice(0, 100)) : settings,
    component: saidBy.componentId,
    targetId: saidBy.configId,
    runWithTokenId: Number(changed.token.id),
    tokenIds: [],
    since: changed.at,
    revision: version,
  }
}

/** That of a configuration which is disabled. */
const switchedOff = (schedule: unknown): object =>
  typeof schedule === 'object'
    ? { ...schedule, isEnabled: false }
    : { expression: schedule, isEnabled: false }
