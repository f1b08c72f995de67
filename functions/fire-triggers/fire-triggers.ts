import pMap from 'p-map'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { createOnce } from '../lib/storage/db/create-once.ts'
import type { JobRecord } from '../lib/storage/jobs/job-record.ts'
import { shareOf } from '../lib/storage/jobs/job-shares.ts'
import type { StartJob } from '../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import type { TriggerRecord } from '../lib/storage/triggers/trigger-store.ts'
import { type Imports, lastImports } from '../lib/storage/triggers/watched-imports.ts'

interface FireTriggersServices
  extends Pick<
    StorageStores,
    'triggers' | 'tables' | 'tokens' | 'configurations' | 'jobs' | 'idempotency' | 'events' | 'nextId'
  > {
  startJob: StartJob
  baseUrl: string
  runnableComponents: readonly string[]
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}

const AT_ONCE = 8
const MINUTE_MS = 60_000

/**
 * Starts the configurations of triggers whose tables were imported since they fired last, once their cool-down is over.
 * Resolves to the ids of the triggers that fired.
 *
 * Which import a trigger has answered is kept with the trigger. So no moment is lost: an import whose process died, or
 * that fell into the cool-down, is found by a later look. One trigger that fails does not keep others from firing.
 */
export const fireTriggers = async (services: FireTriggersServices): Promise<{ fired: number[] }> => {
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
  services: FireTriggersServices,
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

/**
 * The run is stored first, under a key that the firing has alone: after a crash at any point the next look finds the
 * same run. Only then the trigger has fired.
 */
const fire = async (
  trigger: TriggerRecord,
  { changed, answered }: { changed: string[]; answered: Imports },
  services: FireTriggersServices,
): Promise<void> => {
  const { triggers, startJob, now, log } = services
  const at = now().toISOString()
  const outcome = await storeRun(trigger, services)
  // A run that is stored is started each minute by whoever looks after open jobs, too.
  if ('job' in outcome)
    await startJob(outcome.job.id).catch(error =>
      log.error('job not started', { jobId: outcome.job.id, error }),
    )
  let isOurs = false
  await triggers.update(trigger.id, stored => {
    isOurs = stored.lastRun === trigger.lastRun
    return isOurs ? { ...stored, lastRun: at, answered } : stored
  })
  if (isOurs) await recordFiring(trigger, { changed, outcome }, services)
}

type Outcome = { job: JobRecord; tokenName: string } | { refusal: string }

const storeRun = async (trigger: TriggerRecord, services: FireTriggersServices): Promise<Outcome> => {
  const { component: componentId, configurationId: configId, runWithTokenId, authors } = trigger
  const { configurations, tokens, jobs, baseUrl, now } = services
  if (!services.runnableComponents.includes(componentId))
    return { refusal: `configurations of the component ${componentId} cannot be run here` }
  const configuration = await configurations.get({ branchId: defaultBranchId, componentId, configId })
  if (!configuration || configuration.current.content.isDeleted)
    return { refusal: `the configuration ${configId} does not exist` }
  if (configuration.current.content.isDisabled)
    return { refusal: `the configuration ${configId} is disabled` }
  const { disarmed } = configuration
  if (disarmed)
    return { refusal: `it was disarmed when the token "${disarmed.by.description}" stored the configuration` }

  const tokenId = String(runWithTokenId)
  // The master token is stored nowhere. What the run may do is looked at when it begins.
  const token = await tokens.get(runWithTokenId)
  const tokenName = token?.description ?? `Token ${tokenId}`
  const tokenIds = authors.map(({ id }) => id)
  const input = { operationName: 'configurationRun' as const, componentId, configId, tokenIds }
  const make = (id: number): JobRecord => ({
    id,
    status: 'waiting',
    input,
    queueTableId: null,
    ...(token && { share: shareOf(tokenId, input) }),
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
    requestKey: null,
  })
  const key = `trigger ${trigger.id} after ${trigger.lastRun}`
  const firing = { scope: 'triggers', key, request: { triggerId: trigger.id } }
  return { job: await createOnce(firing, { ...services, records: jobs, make }), tokenName }
}

/** The event of the configuration. It comes last: a crash before it leaves the run, which is in the list of jobs. */
const recordFiring = async (
  { id: triggerId, component, configurationId, runWithTokenId }: TriggerRecord,
  { changed, outcome }: { changed: string[]; outcome: Outcome },
  { events, nextId, now }: FireTriggersServices,
): Promise<void> => {
  const tables = `${changed.length === 1 ? 'table' : 'tables'} ${changed.join(', ')}`.slice(0, 2_000)
  const message =
    'job' in outcome
      ? `The trigger ${triggerId} started a run: data was imported into the ${tables}.`
      : `The trigger ${triggerId} started no run, though data was imported into the ${tables}: ${outcome.refusal}.`
  await events.create(nextId, eventId => ({
    id: eventId,
    event: `ext.${component}.${configurationId}`,
    component,
    message,
    description: '',
    type: 'job' in outcome ? 'info' : 'error',
    runId: null,
    configurationId,
    created: now().toISOString(),
    params: JSON.stringify({
      triggerId,
      tableIds: changed.slice(0, 100),
      ...('job' in outcome && { jobId: outcome.job.id }),
    }),
    results: '{}',
    performance: '{}',
    duration: null,
    branchId: defaultBranchId,
    objectType: null,
    objectId: '',
    objectName: null,
    context: '{}',
    attachments: [],
    token: {
      id: String(runWithTokenId),
      name: 'job' in outcome ? outcome.tokenName : `Token ${runWithTokenId}`,
    },
  }))
}
