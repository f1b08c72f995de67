import type { Logger } from '@aws-lambda-powertools/logger'
import { z } from 'zod'
import { openMachines, startExecution } from '../lib/cloud/step-functions.ts'
import type { Environment } from '../lib/env.ts'
import { createStorageClient } from '../lib/storage-client/storage-client.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import { createTokenClient } from '../lib/storage-client/token-client.ts'
import { type StartRun, startScheduledRuns } from './start-scheduled-runs.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** State machine that runs configurations. */
  'EXTRACT_MACHINE_ARN',
  /** JSON array of the components whose configurations may have schedules. */
  'COMPONENTS',
] as const
export type StartScheduledRunsEnv = (typeof variables)[number]

export const open = (env: Environment<StartScheduledRunsEnv>) => {
  const service = openStorage(env)
  const components = z.array(z.string()).parse(JSON.parse(env.COMPONENTS))
  const machines = openMachines({ start: startExecution })

  // A run of this name was started by an earlier delivery of the same minute: nothing is left to do.
  const startRun: StartRun = async (name, input) =>
    void (await machines.start({ machineArn: env.EXTRACT_MACHINE_ARN, name, input }))

  return async (time: Date, log: Logger) => {
    const connection = await service.connection()
    return startScheduledRuns(time, {
      storage: createStorageClient(connection),
      tokens: createTokenClient(connection),
      components,
      startRun,
      log,
    })
  }
}
