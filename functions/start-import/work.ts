import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@aws-lambda-powertools/logger'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { createDocumentRequests } from '../lib/aws/document-requests.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createIsExecutionRunning } from '../lib/aws/is-execution-running.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { readAcceptedLoads } from '../lib/distributed/load-limits.ts'
import { NO_LOAD_LIMITS } from '../lib/distributed/no-load-limits.ts'
import { s3WithCredentials } from '../lib/storage-client/s3-with-credentials.ts'
import { storageClientFrom } from '../lib/storage-client/storage-client-from.ts'
import { LANDING_RULES_FILE, startImportEnvNames } from './env-names.ts'
import type { StartImportEvent } from './event.ts'
import { createImportRecords } from './key-records.ts'
import { landingRules } from './landing-rules.ts'
import { createPartNotes } from './part-notes.ts'
import { startImport } from './start-import.ts'
import { createTransfer } from './transfer.ts'

const env = readEnv(startImportEnvNames)
const { LAMBDA_TASK_ROOT } = readEnv(['LAMBDA_TASK_ROOT'])
const rules = landingRules.parse(JSON.parse(readFileSync(join(LAMBDA_TASK_ROOT, LANDING_RULES_FILE), 'utf8')))
const s3 = createS3Client()
const table = { dynamo: createDocumentRequests(), tableName: env.IMPORTS_TABLE }
const notes = createPartNotes(table)
const transfer = createTransfer({ s3, ownFilesBucket: env.FILES_BUCKET, s3With: s3WithCredentials, notes })
const records = createImportRecords({
  ...table,
  isRunning: createIsExecutionRunning(),
})
const acceptedLoads = env.SINGLE_LOAD_BYTES === NO_LOAD_LIMITS ? undefined : readAcceptedLoads(env)
const now = () => new Date()

const measure = createMeasure('imports')

export const run = async (event: StartImportEvent, log: Logger) => {
  const storage = await storageClientFrom(env, event)
  const result = await startImport({ s3, transfer, storage, acceptedLoads, records, rules, now, log }, event)
  if (result.outcome === 'started') measure({ FilesLanded: 1 })
  if (result.outcome === 'released') measure({ FilesFailed: 1 })
  return result
}
