import { Duration } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { NONE } from '../functions/lib/none.ts'
import { documentPrefix } from '../functions/lib/storage/db/document-prefix.ts'
import { exportPrefix, filePrefixes } from '../functions/lib/storage/files/file-prefixes.ts'
import type { RunJobEnv } from '../functions/run-job/work.ts'
import type { StorageApiEnv } from '../functions/storage-api/open-app.ts'
import { fileAccessRole, tableAccessRole } from './access-roles.ts'
import {
  allow,
  allowDeletingObjects,
  allowItems,
  allowPuttingObjects,
  allowReadingObjects,
  allowReadingSecret,
  allowWritingObjects,
  ITEM_ACTIONS,
} from './allow.ts'
import type { FunctionBundle, FunctionBundles } from './bundle.ts'
import { drive } from './drive.ts'
import { type ApiDomainProps, httpApi } from './http-api.ts'
import { ItemTable } from './item-table.ts'
import { executionsOf, machineIdentity } from './machine-identity.ts'
import { MergeApplication } from './merge-application.ts'
import { executionRole, NodeFunction } from './node-function.ts'
import { previewFunction } from './preview-function.ts'
import { PrivateBucket } from './private-bucket.ts'
import { masterToken, type StorageEndpoint, secretsKey } from './storage-endpoint.ts'
import { StorageSweep } from './storage-sweep.ts'
import { loadLimits, type WorkSizes } from './work-sizes.ts'
import { writtenKinds } from './written-kinds.ts'

interface StorageServiceProps {
  readonly bundles: FunctionBundles
  readonly projectId: string
  readonly dialect: { readonly backendName: string; readonly numberRounding: string }
  readonly snapshotRetentionDays: number
  readonly tableVersionDays: number
  /** Private hosts that loads by address may read. */
  readonly allowedHosts: readonly string[]
  readonly sizes: WorkSizes
  /** Undefined: the name that AWS makes. */
  readonly domain: ApiDomainProps | undefined
  readonly alarms: ITopic
}

/**
 * The storage service: HTTP API in front of `storage-api`, items in DynamoDB, files and table snapshots in S3, and the
 * machine that runs its asynchronous jobs.
 */
export class StorageService extends Construct implements StorageEndpoint {
  readonly url: string
  readonly tokenSecret: Secret
  readonly filesBucket: PrivateBucket
  readonly tablesBucket: PrivateBucket
  readonly items: ItemTable
  readonly sizes: WorkSizes
  readonly jobMachine: StateMachine
  readonly storageApi: IFunction
  /** Seals the secrets of configurations. Functions that run components may decrypt with it. */
  readonly secretsKey: IKey

  constructor(scope: Construct, id: string, props: StorageServiceProps) {
    super(scope, id)
    const { bundles, projectId, snapshotRetentionDays, allowedHosts, sizes, alarms } = props
    this.filesBucket = new PrivateBucket(this, 'Files', {
      traits: 'files',
      lifecycleRules: filePrefixes.map(({ prefix, days }) => ({
        prefix,
        expiration: Duration.days(days + DAYS_LEFT_TO_SWEEP),
      })),
    })
    this.sizes = sizes
    this.tokenSecret = masterToken(this, projectId)
    this.secretsKey = secretsKey(this)
    // What the service cannot make again. Deleted objects of tables stay as versions for so many days.
    const items = new ItemTable(this, 'Items', {
      partitionKey: 'pk',
      sortKey: 'sk',
      expiryAttribute: 'expiresAt',
    })
    const tables = new PrivateBucket(this, 'Tables', {
      traits: 'tables',
      versionDays: props.tableVersionDays,
    })
    this.items = items
    this.tablesBucket = tables
    const store: Store = {
      projectId,
      snapshotRetentionDays,
      items,
      tables,
      dialect: props.dialect,
      files: this.filesBucket,
      secretsKey: this.secretsKey,
    }
    new StorageSweep(this, 'Sweep', { ...store, bundle: bundles['sweep-storage'] })
    const runJob = runJobFunction(this, bundles['run-job'], { ...store, sizes })
    // An execution's name is the job's id. When it is gone and its job open, another one is started with that failure.
    this.jobMachine = drive(new Construct(this, 'Jobs'), {
      name: 'jobs',
      machineName: machineIdentity('jobs').name,
      step: runJob,
      partsAtOnce: sizes.partsAtOnce,
    })
    const preview = previewFunction(this, bundles['preview-extraction'], { ...store, allowedHosts })
    const api = { ...store, preview, tokenSecret: this.tokenSecret, sizes }
    this.storageApi = storageApiFunction(this, bundles['storage-api'], api)
    this.url = httpApi(this, { storageApi: this.storageApi, domain: props.domain, alarms })
  }
}

/** The sweep is exact. S3 removes what the sweep missed, in whole days. */
const DAYS_LEFT_TO_SWEEP = 2

/** What `storage-api` and `run-job` share. */
interface Store {
  readonly projectId: string
  readonly dialect: StorageServiceProps['dialect']
  readonly snapshotRetentionDays: number
  readonly items: ItemTable
  readonly files: IBucket
  readonly tables: IBucket
  readonly secretsKey: IKey
}

/** Starting a job's execution, and seeing whether an earlier one ended without ending the job. */
const allowStartingJobs = (grantee: IGrantable): void => {
  const [jobs, runs] = [machineIdentity('jobs'), machineIdentity('extract')]
  allow(grantee, ['states:StartExecution'], [jobs.arn, runs.arn])
  allow(
    grantee,
    ['states:DescribeExecution'],
    [executionsOf(jobs.name, 'job-*'), executionsOf(runs.name, 'run-*')],
  )
}

const storeEnvironment = (store: Store) => ({
  STORAGE_TABLE: store.items.tableName,
  FILES_BUCKET: store.files.bucketName,
  TABLES_BUCKET: store.tables.bucketName,
  JOB_MACHINE_ARN: machineIdentity('jobs').arn,
  EXTRACT_MACHINE_ARN: machineIdentity('extract').arn,
  PROJECT_ID: store.projectId,
  BACKEND_NAME: store.dialect.backendName,
  NUMBER_ROUNDING: store.dialect.numberRounding,
})

const runJobFunction = (
  scope: Construct,
  bundle: FunctionBundle,
  { sizes, ...store }: Store & Pick<StorageServiceProps, 'sizes'>,
) => {
  const merges = new MergeApplication(scope, 'Merges', store.tables)
  const runJob = new NodeFunction<RunJobEnv>(scope, 'RunJob', {
    bundle,
    description: 'Does the asynchronous jobs of the storage service',
    environment: {
      ...storeEnvironment(store),
      SNAPSHOT_RETENTION_DAYS: String(store.snapshotRetentionDays),
      ...loadLimits(sizes),
      SINGLE_MERGE_BYTES: String(sizes.singleMergeBytes),
      MERGE_APPLICATION: merges.name,
      SINGLE_EXPORT_BYTES: String(sizes.singleExportBytes),
      EXPORT_PART_BYTES: String(sizes.exportPartBytes),
      LOAD_RANGE_BYTES: String(sizes.loadRangeBytes),
    },
  })
  allowItems(runJob, store.items, ITEM_ACTIONS, writtenKinds['run-job'])
  allowReadingObjects(runJob, store.files)
  allowWritingObjects(runJob, store.files, { prefix: exportPrefix.prefix }) // Exports of tables.
  allowDeletingObjects(runJob, store.files)
  allowReadingObjects(runJob, store.tables)
  allowWritingObjects(runJob, store.tables, { prefix: 'tables/' })
  allowPuttingObjects(runJob, store.tables, { prefix: documentPrefix }) // Configurations of branches that are merged.
  allowDeletingObjects(runJob, store.tables, { prefix: 'tables/' })
  allowStartingJobs(runJob)
  merges.allowRuns(runJob)
  return runJob
}

interface ApiStore extends Store {
  readonly preview: IFunction
  readonly tokenSecret: Secret
  readonly sizes: WorkSizes
}

const storageApiFunction = (
  scope: Construct,
  bundle: FunctionBundle,
  { preview, tokenSecret, sizes, ...store }: ApiStore,
) => {
  // Made before its function, because the roles of access name it in their trust.
  const role = executionRole(scope, 'StorageApiRole')
  const storageApi = new NodeFunction<StorageApiEnv>(scope, 'StorageApi', {
    bundle,
    role,
    description: 'The HTTP API of the storage service',
    environment: {
      ...storeEnvironment(store),
      FILE_ACCESS_ROLE_ARN: fileAccessRole(scope, role, store.files).roleArn,
      TABLE_ACCESS_ROLE_ARN: tableAccessRole(scope, role, store.tables).roleArn,
      STORAGE_TOKEN_SECRET_ARN: tokenSecret.secretArn,
      SECRETS_KEY_ARN: store.secretsKey.keyArn,
      DATA_KEY_ARN: store.files.encryptionKey?.keyArn ?? NONE,
      ...loadLimits(sizes),
      PREVIEW_FUNCTION: preview.functionName,
    },
  })
  allowReadingSecret(storageApi, tokenSecret)
  allowItems(storageApi, store.items, ITEM_ACTIONS)
  allowReadingObjects(storageApi, store.files)
  allowWritingObjects(storageApi, store.files)
  allowDeletingObjects(storageApi, store.files)
  allowReadingObjects(storageApi, store.tables)
  // Configurations that are too large for an item.
  allowPuttingObjects(storageApi, store.tables, { prefix: documentPrefix })
  // It seals secrets. Only the functions that run components open them.
  allow(storageApi, ['kms:Encrypt', 'kms:GenerateDataKey'], [store.secretsKey.keyArn])
  allowStartingJobs(storageApi)
  // People cancel runs.
  allow(storageApi, ['states:StopExecution'], [executionsOf(machineIdentity('extract').name, 'run-*')])
  allow(storageApi, ['lambda:InvokeFunction'], [preview.functionArn])
  return storageApi
}
