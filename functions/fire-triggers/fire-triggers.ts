import pMap from 'p-map'
import type { TriggerRecord } from '../lib/storage/triggers/trigger-store.ts'
import { type Imports, lastImports } from '../lib/storage/triggers/watched-imports.ts'
import { type FiringServices, recordFiring, startRun } from './start-run.ts'

const AT_ONCE = 8
const MINUTE_MS = 60_000

/**
 * Starts the configurations of triggers whose tables were imported since they fired last, once their cool-down is over.
 * Resolves to the ids of the triggers that fired.
 *
 * Which import a trigger has answered is kept with the trigger. So no moment is lost: an import whose process died, or
 * that fell into the cool-down, is found by a later look. One trigger that fails does not keep others from firing.
 */
export const fireTriggers = async (services: FiringServices): Promise<{ fired: number[] }> => {
  const { triggers, tables, now, log } = services
  const due = (await triggers.list()).filter(trigger => isCoolDownOver(trigger, now()))
  const imports = await lastImports([...new Set(due.flatMap(({ tableIds }) => tableIds))], tables)
  const fired = await pMap(
    due,
    trigger =>
      answerImports(trigger, imports, services).catch((error: unknown) => {
        log.error('trigger not fired', { triggerId: trigger.id, error })
        return []
      }),
    { concurrency: AT_ONCE },
  )
  return { fired: fired.flat() }
}

const isCoolDownOver = ({ lastRun, coolDownPeriodMinutes }: TriggerRecord, now: Date): boolean =>
  now.getTime() - Date.parse(lastRun) >= coolDownPeriodMinutes * MINUTE_MS

const answerImports = async (
  trigger: TriggerRecord,
  imports: Imports,
  services: FiringServices,
): Promise<number[]> => {
  const current = Object.fromEntries(
    trigger.tableIds.flatMap(id => (imports[id] === undefined ? [] : [[id, imports[id]] as const])),
  )
  const { answered } = trigger
  const changed = Object.keys(current).filter(id => current[id] !== answered[id])
  if (changed.length === 0) return []
  await fire(trigger, { changed, answered: { ...answered, ...current } }, services)
  return [trigger.id]
}

/** The run is stored first. Only then the trigger has fired. */
const fire = async (
  trigger: TriggerRecord,
  { changed, answered }: { changed: string[]; answered: Imports },
  services: FiringServices,
): Promise<void> => {
  const at = services.now().toISOString()
  const firing = { ...trigger, kind: 'trigger' as const, tokenIds: trigger.authors.map(({ id }) => id) }
  const outcome = await startRun(firing, services)
  let isOurs = false
  await services.triggers.update(trigger.id, stored => {
    isOurs = stored.lastRun === trigger.lastRun
    return isOurs ? { ...stored, lastRun: at, answered } : stored
  })
  if (!isOurs) return
  const tables = `${changed.length === 1 ? 'table' : 'tables'} ${changed.join(', ')}`.slice(0, 2_000)
  const why = `data was imported into the ${tables}`
  await recordFiring(firing, { outcome, why, params: { tableIds: changed.slice(0, 100) } }, services)
}
