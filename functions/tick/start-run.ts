import pMap from 'p-map'
import type { ItemWrite } from '../lib/items/item-table.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { type EventRecord, emptyEvent } from '../lib/storage/events/event-store.ts'
import type { WaitingJob } from '../lib/storage/jobs/job-record.ts'
import { queueOfRuns } from '../lib/storage/jobs/job-store.ts'
import { type StartJob, startInTurn } from '../lib/storage/jobs/start-next.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'

export interface FiringServices
  extends Pick<
    StorageStores,
    'triggers' | 'schedules' | 'tables' | 'tokens' | 'configurations' | 'jobs' | 'queue' | 'events' | 'nextId'
  > {
  startJob: StartJob
  baseUrl: string
  runnableComponents: readonly string[]
  now: () => Date
  log: { error(message: string, extra: Record<string, unknown>): void }
}

/** What fires: a configuration, run with the rights of a token. */
interface Firing {
  kind: 'trigger' | 'schedule'
  id: number
  /** When it fired before: no other firing of it has that. */
  lastRun: string
  component: string
  configurationId: string
  runWithTokenId: number
  /** Those that stored it, whose rights bound the run, too. */
  tokenIds?: string[]
}

type Outcome = { job: WaitingJob; tokenName: string } | { refusal: string }

const AT_ONCE = 8

/**
 * Answers what each record is due for; one that fails does not keep others from firing. Resolves to the ids of those that fired.
 *
 * @param answer resolves to whether the record has fired
 */
export const answerEach = async <Stored extends { id: number }>(
  kind: Firing['kind'],
  records: readonly Stored[],
  answer: (record: Stored) => Promise<boolean>,
  { log }: Pick<FiringServices, 'log'>,
): Promise<number[]> => {
  const answerOne = async (record: Stored): Promise<number[]> => {
    try {
      return (await answer(record)) ? [record.id] : []
    } catch (error) {
      log.error(`${kind} not fired`, { [`${kind}Id`]: record.id, error })
      return []
    }
  }
  return (await pMap(records, answerOne, { concurrency: AT_ONCE })).flat()
}

interface Fired<Stored> {
  records: {
    update(
      id: number,
      change: (stored: Stored) => Stored,
      alsoOf: () => readonly ItemWrite[],
    ): Promise<unknown>
  }
  /** The record once it has fired. */
  keep: (stored: Stored, outcome: Outcome) => Stored
  /** What made it fire. */
  why: string
  params?: object
}

/**
 * Stores the run with the record that has fired and the event that tells it, unless another look was faster. Then starts it:
 * one that is stored is started each minute by whoever looks after open jobs, too.
 */
export const fire = async <Stored extends { lastRun: string }>(
  firing: Firing,
  { records, keep, ...told }: Fired<Stored>,
  services: FiringServices,
): Promise<void> => {
  const { jobs, events, log } = services
  const outcome = await outcomeOf(firing, services)
  const job = 'job' in outcome ? outcome.job : undefined
  const event = eventOf(firing, { ...told, outcome }, services)
  let isOurs = false
  await records.update(
    firing.id,
    stored => {
      isOurs = stored.lastRun === firing.lastRun
      return isOurs ? keep(stored, outcome) : stored
    },
    () => [...(job ? jobs.accepting(job) : []), ...events.telling(event)],
  )
  if (isOurs && job)
    await startInTurn(job, services).catch(error => log.error('job not started', { jobId: job.id, error }))
}

const outcomeOf = async (firing: Firing, services: FiringServices): Promise<Outcome> => {
  const { kind, id: firingId, component: componentId, configurationId: configId, tokenIds } = firing
  const { configurations, tokens, baseUrl, nextId, now } = services
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

  const tokenId = String(firing.runWithTokenId)
  // The master token is stored nowhere. What the run may do is looked at when it begins.
  const token = await tokens.get(firing.runWithTokenId)
  const tokenName = token?.description ?? `Token ${tokenId}`
  const input = {
    operationName: 'configurationRun' as const,
    componentId,
    configId,
    ...(tokenIds && { tokenIds }),
  }
  const job: WaitingJob = {
    id: nextId(),
    status: 'waiting',
    input,
    queueTableId: queueOfRuns({ componentId, configId }),
    tableId: null,
    operationParams: {
      componentId,
      configId,
      version: configuration.current.version,
      [`${kind}Id`]: firingId,
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
  { kind, id, component, configurationId, runWithTokenId }: Firing,
  { outcome, why, params }: { outcome: Outcome; why: string; params?: object },
  { nextId, now }: FiringServices,
): EventRecord => {
  const message =
    'job' in outcome
      ? `The ${kind} ${id} started a run: ${why}.`
      : `The ${kind} ${id} started no run, though ${why}: ${outcome.refusal}.`
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
      [`${kind}Id`]: id,
      ...params,
      ...('job' in outcome && { jobId: outcome.job.id }),
    }),
    branchId: defaultBranchId,
    token: {
      id: String(runWithTokenId),
      name: 'job' in outcome ? outcome.tokenName : `Token ${runWithTokenId}`,
    },
  }
}
