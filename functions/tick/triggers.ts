import pMap from 'p-map'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { type EventRecord, emptyEvent } from '../lib/storage/events/event-store.ts'
import type { WaitingJob } from '../lib/storage/jobs/job-record.ts'
import { queueOfRuns } from '../lib/storage/jobs/job-store.ts'
import { type StartJob, startInTurn } from '../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { TriggerRecord } from '../lib/storage/triggers/trigger-store.ts'
import { type Imports, lastImports } from '../lib/storage/triggers/watched-imports.ts'

interface FiringServices
  extends Pick<
    StorageStores,
    'triggers' | 'tables' | 'tokens' | 'configurations' | 'jobs' | 'queue' | 'events' | 'nextId'
  > {
  startJob: StartJob
  baseUrl: string
  runnableComponents: readonly string[]
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}

type Outcome = { job: WaitingJob; tokenName: string } | { refusal: string }

const AT_ONCE = 8
const MINUTE_MS = 60_000

/**
 * Starts the configurations of triggers whose tables were imported since they fired last, once their cool-down is over. One that fails
 * does not keep others from firing. Resolves to the ids of the triggers that fired.
 *
 * Which import a trigger has answered is kept with the trigger. So no moment is lost: an import whose process died, or
 * that fell into the cool-down, is found by a later look.
 */
export const fireTriggers = async (services: FiringServices): Promise<{ fired: number[] }> => {
  const { triggers, tables, now, log } = services
  const due = (await triggers.list()).filter(trigger => isCoolDownOver(trigger, now()))
  const imports = await lastImports([...new Set(due.flatMap(({ tableIds }) => tableIds))], tables)
  const answer = async (trigger: TriggerRecord): Promise<number[]> => {
    try {
      return (await answerImports(trigger, imports, services)) ? [trigger.id] : []
    } catch (error) {
      log.error('trigger not fired', { triggerId: trigger.id, error })
      return []
    }
  }
  return { fired: (await pMap(due, answer, { concurrency: AT_ONCE })).flat() }
}

const isCoolDownOver = ({ lastRun, coolDownPeriodMinutes }: TriggerRecord, now: Date): boolean =>
  now.getTime() - Date.parse(lastRun) >= coolDownPeriodMinutes * MINUTE_MS

/** Resolves to whether the trigger has fired. */
const answerImports = async (
  trigger: TriggerRecord,
  imports: Imports,
  services: FiringServices,
): Promise<boolean> => {
  const current = Object.fromEntries(
    trigger.tableIds.flatMap(id => (imports[id] === undefined ? [] : [[id, imports[id]] as const])),
  )
  const answered = { ...trigger.answered, ...current }
  const changed = Object.keys(current).filter(id => current[id] !== trigger.answered[id])
  if (changed.length === 0) return false
  await fire(trigger, { answered, changed }, services)
  return true
}

/**
 * Stores the run with the trigger that has fired and the event that tells it, unless another look was faster. Then starts it:
 * one that is stored is started each minute by whoever looks after open jobs, too.
 *
 * @param changed ids of the tables that made it fire
 */
const fire = async (
  trigger: TriggerRecord,
  { answered, changed }: { answered: TriggerRecord['answered']; changed: readonly string[] },
  services: FiringServices,
): Promise<void> => {
  const { triggers, jobs, events, now, log } = services
  const at = now().toISOString()
  const outcome = await outcomeOf(trigger, services)
  const job = 'job' in outcome ? outcome.job : undefined
  const event = eventOf(trigger, { outcome, changed }, services)
  let isOurs = false
  await triggers.update(
    trigger.id,
    stored => {
      isOurs = stored.lastRun === trigger.lastRun
      return isOurs ? { ...stored, lastRun: at, answered } : stored
    },
    () => [...(job ? jobs.accepting(job) : []), ...events.telling(event)],
  )
  if (isOurs && job)
    await startInTurn(job, services).catch(error => log.error('job not started', { jobId: job.id, error }))
}

const outcomeOf = async (trigger: TriggerRecord, services: FiringServices): Promise<Outcome> => {
  const { component: componentId, configurationId: configId, authors } = trigger
  const { configurations, tokens, baseUrl, nextId, now } = services
  if (!services.runnableComponents.includes(componentId))
    return { refusal: `configurations of the component ${componentId} cannot be run here` }
  const configuration = await configurations.get({ branchId: defaultBranchId, componentId, configId })
  if (!configuration || configuration.current.content.isDeleted)
    return { refusal: `the configuration ${configId} does not exist` }
  if (configuration.current.content.isDisabled)
    return { refusal: `the configuration ${configId} is disabled` }

  const tokenId = String(trigger.runWithTokenId)
  // The master token is stored nowhere. What the run may do is looked at when it begins.
  const token = await tokens.get(trigger.runWithTokenId)
  const tokenName = token?.description ?? `Token ${tokenId}`
  const job: WaitingJob = {
    id: nextId(),
    status: 'waiting',
    input: {
      operationName: 'configurationRun',
      componentId,
      configId,
      tokenIds: authors.map(({ id }) => id),
    },
    queueTableId: queueOfRuns({ componentId, configId }),
    tableId: null,
    operationParams: {
      componentId,
      configId,
      version: configuration.current.version,
      triggerId: trigger.id,
    },
    createdTime: now().toISOString(),
    runId: null,
    creatorToken: { id: tokenId, description: tokenName },
    baseUrl,
  }
  return { job, tokenName }
}

/** The event of the configuration. */
const eventOf = (
  { id, component, configurationId, runWithTokenId }: TriggerRecord,
  { outcome, changed }: { outcome: Outcome; changed: readonly string[] },
  { nextId, now }: FiringServices,
): EventRecord => {
  const names = `${changed.length === 1 ? 'table' : 'tables'} ${changed.join(', ')}`.slice(0, 2_000)
  const why = `data was imported into the ${names}`
  const message =
    'job' in outcome
      ? `The trigger ${id} started a run: ${why}.`
      : `The trigger ${id} started no run, though ${why}: ${outcome.refusal}.`
  return {
    ...emptyEvent,
    id: nextId(),
    runId: null,
    context: '{}',
    event: `ext.${component}.${configurationId}`,
    component,
    message,
    type: 'job' in outcome ? 'info' : 'error',
    configurationId,
    created: now().toISOString(),
    params: JSON.stringify({
      triggerId: id,
      tableIds: changed.slice(0, 100),
      ...('job' in outcome && { jobId: outcome.job.id }),
    }),
    branchId: defaultBranchId,
    token: {
      id: String(runWithTokenId),
      name: 'job' in outcome ? outcome.tokenName : `Token ${runWithTokenId}`,
    },
  }
}
