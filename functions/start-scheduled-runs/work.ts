import type { Logger } from '@aws-lambda-powertools/logger'
import { SFNClient } from '@aws-sdk/client-sfn'
import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { startExecution } from '../lib/aws/executions.ts'
import { createStorageClient } from '../lib/storage-client/storage-client.ts'
import { storageConnectionFrom } from '../lib/storage-client/storage-client-from.ts'
import { createTokenClient } from '../lib/storage-client/token-client.ts'
import { startScheduledRunsEnvNames } from './env-names.ts'
import { type StartRun, startScheduledRuns } from './start-scheduled-runs.ts'

const env = readEnv(startScheduledRunsEnvNames)
const components = z.array(z.string()).parse(JSON.parse(env.COMPONENTS))
const stepFunctions = new SFNClient({})

// A run of this name was started by an earlier delivery of the same minute: nothing is left to do.
const startRun: StartRun = async (name, input) =>
  void (await startExecution(stepFunctions, { machineArn: env.EXTRACT_MACHINE_ARN, name, input }))

export const run = async (time: Date, log: Logger) => {
  const connection = await storageConnectionFrom(env)
  return startScheduledRuns(time, {
    storage: createStorageClient(connection),
    tokens: createTokenClient(connection),
    components,
    startRun,
    log,
  })
}
