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
  functionNames.filter(name => {
    if (name === 'tick') return true
    if (name === 'preview-extraction') return shape === 'all'
    return AROUND.includes(name) ? shape !== 'storage' : shape !== 'functions'
  })

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
  const hasRuns = config.shape === 'all'
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
    EXTRACT_MACHINE_ARN: config.shape === 'storage' ? NONE : machineArn('extract'),
    FILE_ACCESS_ROLE_ARN: accessRoles.files,
    TABLE_ACCESS_ROLE_ARN: accessRoles.tables,
    SECRETS_KEY_ARN: isOurs ? secretsKeyArn : NONE,
    DATA_KEY_ARN: NONE,
    PREVIEW_FUNCTION: hasRuns ? ('preview-extraction' satisfies FunctionName) : NONE,
    PROJECT_ID: config.projectId,
    BACKEND_NAME: config.backendName,
    NUMBER_ROUNDING: config.numberRounding,
    SNAPSHOT_RETENTION_DAYS: String(config.snapshotRetentionDays),
    MASTER_TOKEN_OVERLAP_MINUTES: String(config.masterTokenOverlapMinutes),
    LEG_SECONDS: String(config.extractorLegSeconds),
    ALLOWED_HOSTS: JSON.stringify(config.extractorAllowedHosts),
    COMPONENTS: JSON.stringify(config.scheduledComponents),
    RUNNABLE_COMPONENTS: JSON.stringify(
      hasRuns ? runnableComponents(join(bundles, 'storage-api', 'components')) : [],
    ),
    SINGLE_LOAD_BYTES: isOurs ? String(config.singleLoadBytes) : NONE,
    SINGLE_MERGE_BYTES: String(config.singleMergeBytes),
    SINGLE_EXPORT_BYTES: String(config.singleExportBytes),
    EXPORT_PART_BYTES: String(config.exportPartBytes),
    LOAD_RANGE_BYTES: String(config.loadRangeBytes),
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
    ...(config.shape !== 'storage' && {
      LandingBucket: bucketName('landing'),
      ExportsBucket: bucketName('exports'),
    }),
    ...Object.fromEntries(ofMachines),
  }
}
