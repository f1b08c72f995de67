import type { TriggerRecord } from '../lib/storage/triggers/trigger-store.ts'
import { type Imports, lastImports } from '../lib/storage/triggers/watched-imports.ts'
import { answerEach, type FiringServices, fire } from './start-run.ts'

const MINUTE_MS = 60_000

/**
 * Starts the configurations of triggers whose tables were imported since they fired last, once their cool-down is over.
 * Resolves to the ids of the triggers that fired.
 *
 * Which import a trigger has answered is kept with the trigger. So no moment is lost: an import whose process died, or
 * that fell into the cool-down, is found by a later look.
 */
export const fireTriggers = async (services: FiringServices): Promise<{ fired: number[] }> => {
  const { triggers, tables, now } = services
  const due = (await triggers.list()).filter(trigger => isCoolDownOver(trigger, now()))
  const imports = await lastImports([...new Set(due.flatMap(({ tableIds }) => tableIds))], tables)
  return {
    fired: await answerEach('trigger', due, trigger => answerImports(trigger, imports, services), services),
  }
}

const isCoolDownOver = ({ lastRun, coolDownPeriodMinutes }: TriggerRecord, now: Date): boolean =>
  now.getTime() - Date.parse(lastRun) >= coolDownPeriodMinutes * MINUTE_MS

const answerImports = async (
  trigger: TriggerRecord,
  imports: Imports,
  services: FiringServices,
): Promise<boolean> => {
  const current = Object.fromEntries(
    trigger.tableIds.flatMap(id => (imports[id] === undefined ? [] : [[id, imports[id]] as const])),
  )
  const { triggers, now } = services
  const answered = { ...trigger.answered, ...current }
  const changed = Object.keys(current).filter(id => current[id] !== trigger.answered[id])
  if (changed.length === 0) return false
  const at = now().toISOString()
  const names = `${changed.length === 1 ? 'table' : 'tables'} ${changed.join(', ')}`.slice(0, 2_000)
  await fire<TriggerRecord>(
    { ...trigger, kind: 'trigger', tokenIds: trigger.authors.map(({ id }) => id) },
    {
      records: triggers,
      keep: stored => ({ ...stored, lastRun: at, answered }),
      why: `data was imported into the ${names}`,
      params: { tableIds: changed.slice(0, 100) },
    },
    services,
  )
  return true
}
