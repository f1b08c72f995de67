import { join } from 'node:path'
import { NONE } from '#lib/none.ts'
import { runnableComponents } from '../../infra/runnable-components.ts'
import type { StackConfig } from '../../infra/stack-config.ts'
import {
  type FunctionName,
  functionNames,
  type MachineName,
  machineOf,
  machines,
} from '../../infra/system.ts'
import {
  accessRoles,
  bucketName,
  itemTables,
  machineArn,
  STACK_NAME,
  secretsKeyArn,
  tokenSecretArn,
} from './names.ts'

const AROUND: readonly FunctionName[] = ['start-import', 'poll-job', 'run-extractor', 'merge-slices']

/** The functions of a shape of the stack. */
export const functionsOf = ({ shape }: StackConfig): FunctionName[] =>
  functionNames.filter(name => shape === 'all' || AROUND.includes(name))

export const machinesOfShape = (config: StackConfig): MachineName[] => {
  const names = Object.keys(machines) as MachineName[] // Of an object that has no other keys.
  const functions = functionsOf(config)
  return names.filter(name => functions.includes(machineOf(name).step))
}

/**
 * The variables of all functions: each takes those that it reads, which its construct sets in an account.
 *
 * @param url of the storage API
 * @param bundles folder of the functions' bundles
 */
export const variables = (config: StackConfig, { url, bundles }: { url: string; bundles: string }) => {
  const isOurs = config.shape !== 'functions'
  return {
    POWERTOOLS_METRICS_NAMESPACE: STACK_NAME,
    STORAGE_URL: url,
    STORAGE_TOKEN_SECRET_ARN: tokenSecretArn,
    STORAGE_TABLE: isOurs ? itemTables.storage : NONE,
    IMPORTS_TABLE: itemTables.imports,
    FILES_BUCKET: isOurs ? bucketName('files') : NONE,
    TABLES_BUCKET: bucketName('tables'),
    EXPORTS_BUCKET: bucketName('exports'),
    WORK_BUCKET: bucketName('work'),
    JOB_MACHINE_ARN: machineArn('jobs'),
    MACHINES: JSON.stringify(
      Object.fromEntries(machinesOfShape(config).map(name => [name, machineArn(name)])),
    ),
    EXTRACT_MACHINE_ARN: machineArn('extract'),
    FILE_ACCESS_ROLE_ARN: accessRoles.files,
    TABLE_ACCESS_ROLE_ARN: accessRoles.tables,
    SECRETS_KEY_ARN: isOurs ? secretsKeyArn : NONE,
    DATA_KEY_ARN: NONE,
    PREVIEW_FUNCTION: 'preview-extraction' satisfies FunctionName,
    PROJECT_ID: config.projectId,
    BACKEND_NAME: config.backendName,
    NUMBER_ROUNDING: config.numberRounding,
    SNAPSHOT_RETENTION_DAYS: String(config.snapshotRetentionDays),
    LEG_SECONDS: String(config.sizes.legSeconds),
    ALLOWED_HOSTS: JSON.stringify(config.extractorAllowedHosts),
    RUNNABLE_COMPONENTS: JSON.stringify(runnableComponents(join(bundles, 'storage-api', 'components'))),
    SINGLE_LOAD_BYTES: isOurs ? String(config.sizes.singleLoadBytes) : NONE,
    SINGLE_MERGE_BYTES: String(config.sizes.singleMergeBytes),
    MERGE_APPLICATION: NONE,
    SINGLE_EXPORT_BYTES: String(config.sizes.singleExportBytes),
    EXPORT_PART_BYTES: String(config.sizes.exportPartBytes),
    LOAD_RANGE_BYTES: String(config.sizes.loadRangeBytes),
  }
}

/** What programs of the owner find by name, as the outputs of the stack in an account. */
export const outputsOf = (config: StackConfig, url: string): Readonly<Record<string, string>> => {
  const ofMachines = machinesOfShape(config).map(name => [
    `${name === 'jobs' ? 'Job' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`}MachineArn`,
    machineArn(name),
  ])
  return {
    ApiUrl: url,
    StorageTokenSecret: tokenSecretArn,
    ...(config.shape !== 'functions' && {
      FilesBucket: bucketName('files'),
      TablesBucket: bucketName('tables'),
      ItemTable: itemTables.storage,
    }),
    LandingBucket: bucketName('landing'),
    ExportsBucket: bucketName('exports'),
    ...Object.fromEntries(ofMachines),
  }
}
