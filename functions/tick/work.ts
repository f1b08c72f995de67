import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@aws-lambda-powertools/logger'
import { z } from 'zod'
import { createMeasure } from '../lib/cloud/create-measure.ts'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import { describeExecution, openMachines, startExecution } from '../lib/cloud/step-functions.ts'
import type { Environment } from '../lib/env.ts'
import { NONE } from '../lib/none.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import type { StorageStores } from '../lib/storage/storage-stores.ts'
import { createStorageClient } from '../lib/storage-client/storage-client.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import {
  type StartRun,
  schedulesOfHosted,
  schedulesOfService,
  schedulesOfStack,
  startDueRuns,
} from './due-schedules.ts'
import { keepEnd } from './ends.ts'
import type { StatusChange, tickEvent } from './event.ts'
import { startOpenJobs } from './open-jobs.ts'
import { SCHEDULES_FILE } from './schedules-file.ts'
import { fireTriggers } from './triggers.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. `NONE`: the service is elsewhere. */
  'STORAGE_TABLE',
  /** Bucket of the tables, which also holds large configurations. `NONE`: the service is elsewhere. */
  'TABLES_BUCKET',
  /** State machine that runs jobs. `NONE`: the service is elsewhere. */
  'JOB_MACHINE_ARN',
  /** State machine that runs configurations. */
  'EXTRACT_MACHINE_ARN',
  /** JSON: the ARNs of all machines of the stack by their names. */
  'MACHINES',
  /** Base URL of the storage service, without `/v2/storage`: addresses in jobs begin with it. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** JSON array of the components whose configurations can be run, and may have a `schedule` of their own. */
  'RUNNABLE_COMPONENTS',
] as const
export type TickEnv = (typeof variables)[number]

type Env = Environment<TickEnv | 'LAMBDA_TASK_ROOT'>
/** Read when the stack was made. */
const stackSchedules = z.array(
  z.looseObject({ name: z.string(), componentId: z.string(), configId: z.string() }),
)

/** What is looked for each minute. */
type Look = (time: Date, log: Logger) => Promise<object>

export const open = (env: Env) => {
  const machines = openMachines({ start: startExecution, describe: describeExecution })
  const service = env.STORAGE_TABLE === NONE ? undefined : openService(env, machines)
  const startRun = async (name: string, input: object): Promise<void> =>
    // A run of this name was started by an earlier delivery of the same minute: nothing is left to do.
    void (await machines.start({ machineArn: env.EXTRACT_MACHINE_ARN, name, input }))
  const ofStack = stackSchedules.parse(
    JSON.parse(readFileSync(join(env.LAMBDA_TASK_ROOT, SCHEDULES_FILE), 'utf8')),
  )
  const looks: Look[] = [
    ...(service?.looks ?? []),
    dueSchedules(env, { stores: service?.stores, ofStack, startRun }),
  ]
  const arns = z.record(z.string(), z.string()).parse(JSON.parse(env.MACHINES))
  const machineNames = new Map(Object.entries(arns).map(([name, arn]) => [arn, name]))
  const measure = createMeasure('tick')

  const tellEnd = async (event: StatusChange, log: Logger) => {
    const { machine = '', failure } = await keepEnd(event, {
      machineNames,
      describe: machines.describe,
      records: service?.stores,
    })
    if (failure === undefined) return
    log.warn('an execution failed', { machine, execution: event.detail.executionArn, code: failure.code })
    measure({ ExecutionsFailed: 1 }, { dimensions: { machine } })
  }
  return async (event: z.infer<typeof tickEvent>, log: Logger) =>
    event.detail === undefined ? lookAtAll(looks, event.time, log) : tellEnd(event, log)
}

/** What is slow or fails for one keeps no other from its work. */
const lookAtAll = async (looks: readonly Look[], time: Date, log: Logger): Promise<object> => {
  const done = await Promise.allSettled(looks.map(look => look(time, log)))
  const failed = done.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
  for (const error of failed.slice(1)) log.error('a look failed', { error })
  if (failed.length > 0) throw failed[0]
  return Object.assign({}, ...done.map(each => ('value' in each ? each.value : {})))
}

type OpenedMachines = ReturnType<typeof openMachines<'start' | 'describe'>>

const openService = (env: Env, machines: OpenedMachines) => {
  const now = () => new Date()
  const stores = openStorageStores(env, createS3Client(env), now)
  const services = {
    ...stores,
    startJob: createJobStarter(machines, { jobs: env.JOB_MACHINE_ARN, runs: env.EXTRACT_MACHINE_ARN }),
    baseUrl: env.STORAGE_URL,
    runnableComponents: componentsOf(env),
    now,
  }
  const measure = createMeasure('jobs')
  const looks: Look[] = [
    async (_, log) => {
      const result = await startOpenJobs({ ...services, log })
      measure({ OpenJobs: result.openJobs, OldestWaitingSeconds: result.oldestWaitingSeconds })
      return result
    },
    async () => ({ cleared: await stores.cleanUps.clearDue() }),
    (_, log) => fireTriggers({ ...services, log }),
  ]
  return { stores, looks }
}

/** The service's own are items; those of a hosted one are read through the API. */
const dueSchedules = (
  env: Env,
  {
    stores,
    ofStack,
    startRun,
  }: {
    stores: StorageStores | undefined
    ofStack: z.infer<typeof stackSchedules>
    startRun: StartRun
  },
): Look => {
  const service = openStorage(env)
  const components = componentsOf(env)
  return async (time, log) => {
    const storage = createStorageClient(await service.connection())
    const said = stores ? schedulesOfService(stores, components) : schedulesOfHosted(storage, components)
    const all = async function* () {
      yield* schedulesOfStack(ofStack)
      yield* said
    }
    return startDueRuns(time, all(), { storage, startRun, log })
  }
}

const componentsOf = ({ RUNNABLE_COMPONENTS }: Env): string[] =>
  z.array(z.string()).parse(JSON.parse(RUNNABLE_COMPONENTS))
