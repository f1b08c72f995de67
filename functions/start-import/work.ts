import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@aws-lambda-powertools/logger'
import { createMeasure } from '../lib/cloud/create-measure.ts'
import { createIsRunning } from '../lib/cloud/machines.ts'
import { openItemTable } from '../lib/cloud/open-items.ts'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import { describeExecution, openMachines } from '../lib/cloud/step-functions.ts'
import { GZIP_LIMITS } from '../lib/distributed/load-limits.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import type { Environment } from '../lib/env.ts'
import { keptUntilFailed } from '../lib/kept-until-failed.ts'
import { NONE } from '../lib/none.ts'
import { IF_EXISTS_FEATURE } from '../lib/storage-client/load-into-table.ts'
import { createS3With } from '../lib/storage-client/s3-with-credentials.ts'
import { openStorage } from '../lib/storage-client/storage-client-from.ts'
import type { StartImportDependencies } from './import-version.ts'
import { createImportRecords } from './key-records.ts'
import { LANDING_RULES_FILE, landingRules } from './landing-rules.ts'
import { importStep } from './start-import.ts'
import { createTransfer } from './transfer.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** Base URL of the storage service, without `/v2/storage`. */
  'STORAGE_URL',
  /** Secret that holds the storage token. */
  'STORAGE_TOKEN_SECRET_ARN',
  /** DynamoDB table with the lease of each key and the progress of each object version. */
  'IMPORTS_TABLE',
  /** Bucket of the file resources when the service is in the same stack, otherwise `NONE`. */
  'FILES_BUCKET',
  /** Stored bytes of a load that one function still does by itself. `NONE`: the service is elsewhere, and knows it itself. */
  'SINGLE_LOAD_BYTES',
] as const
export type StartImportEnv = (typeof variables)[number]

export const open = (env: Environment<StartImportEnv | 'LAMBDA_TASK_ROOT'>) => {
  const service = openStorage(env)
  const rules = landingRules.parse(
    JSON.parse(readFileSync(join(env.LAMBDA_TASK_ROOT, LANDING_RULES_FILE), 'utf8')),
  )
  const s3 = createS3Client(env)
  const table = openItemTable(env.IMPORTS_TABLE, ({ pk }) => ({ id: pk }))
  const transfer = createTransfer({ s3, ownFilesBucket: env.FILES_BUCKET, s3With: createS3With(env) })
  const records = createImportRecords({
    table,
    isRunning: createIsRunning(openMachines({ describe: describeExecution })),
  })
  const acceptedLoads =
    env.SINGLE_LOAD_BYTES === NONE
      ? undefined
      : { singleLoadBytes: Number(env.SINGLE_LOAD_BYTES), gzip: GZIP_LIMITS }
  const now = () => new Date()

  /** Asked for once in a container: a service does not forget what it knows. */
  const hasIfExists: StartImportDependencies['hasIfExists'] = keptUntilFailed(storage =>
    storage.knows(IF_EXISTS_FEATURE),
  )

  const measure = createMeasure('imports')

  return async (step: StepEvent, log: Logger) => {
    const storage = await service.client(step)
    const answer = await importStep(step, {
      s3,
      transfer,
      storage,
      acceptedLoads,
      hasIfExists,
      records,
      rules,
      now,
      log,
    })
    if (answer?.next === 'failed') measure({ FilesFailed: 1 })
    if (answer?.next === 'poll') {
      if (answer.output.outcome === 'started') measure({ FilesLanded: 1 })
      log.info('import', answer.output)
    }
    return answer
  }
}
