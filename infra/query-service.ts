import { Aws, Duration } from 'aws-cdk-lib'
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena'
import { CfnDatabase } from 'aws-cdk-lib/aws-glue'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { NONE } from '../functions/lib/none.ts'
import type { MergeByQueryEnv } from '../functions/merge-by-query/work.ts'
import { allow, allowDeletingObjects, allowItems, allowReadingObjects, allowWritingObjects } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { DeployedStack } from './deployment.ts'
import type { ItemTable } from './item-table.ts'
import { LONGEST_TIMEOUT, NodeFunction } from './node-function.ts'
import { PrivateBucket } from './private-bucket.ts'
import { writtenKinds } from './written-kinds.ts'

/** What queries may cost. */
export interface QueryBounds {
  readonly queryScanBytes: number
  readonly queryTimeoutSeconds: number
  /** Rewritten on one day to pack large tables; 0: none is packed by itself. */
  readonly optimizeBytesPerDay: number
}

interface QueryServiceProps extends Omit<QueryBounds, 'optimizeBytesPerDay'> {
  readonly bundle: FunctionBundle
  readonly projectId: string
  readonly items: ItemTable
  readonly tables: IBucket
  readonly snapshotRetentionDays: number
}

const glueArn = `arn:${Aws.PARTITION}:glue:${Aws.REGION}:${Aws.ACCOUNT_ID}`

/** What Athena writes beside tables: of a merge only a manifest of its files, which we do not read. */
const RESULT_DAYS = 1

/**
 * Loads that outgrow one function are merged by Athena: its workgroup, the database of the Glue Data Catalog, and the
 * function that starts queries and adopts what they commit. Queries run in that function's rights.
 */
export class QueryService extends Construct {
  readonly mergeByQuery: NodeFunction<MergeByQueryEnv>
  readonly database: string

  constructor(scope: Construct, id: string, props: QueryServiceProps) {
    super(scope, id)
    const { bundle, projectId, items, tables, snapshotRetentionDays, queryScanBytes, queryTimeoutSeconds } =
      props
    const results = new PrivateBucket(this, 'Results', {
      lifecycleRules: [{ expiration: Duration.days(RESULT_DAYS) }],
    })
    // Athena takes lower case, digits and underscores only, which a stack's name may not have.
    this.database = databaseName(this, projectId)
    new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name: this.database, description: 'Tables of Millrace that Athena has worked on' },
    })
    const workGroup = new CfnWorkGroup(this, 'WorkGroup', {
      name: `${Aws.STACK_NAME}-merges`,
      description: 'Merges of large loads',
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        bytesScannedCutoffPerQuery: queryScanBytes,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        publishCloudWatchMetricsEnabled: true,
        resultConfiguration: {
          outputLocation: `s3://${results.bucketName}/merges/`,
          expectedBucketOwner: Aws.ACCOUNT_ID,
          encryptionConfiguration: encryptionOf(results),
        },
      },
    })
    this.mergeByQuery = new NodeFunction<MergeByQueryEnv>(this, 'MergeByQuery', {
      bundle,
      description: 'Merges loads that are too large for one function, by queries of Athena',
      environment: {
        STORAGE_TABLE: items.tableName,
        TABLES_BUCKET: tables.bucketName,
        SNAPSHOT_RETENTION_DAYS: String(snapshotRetentionDays),
        GLUE_DATABASE: this.database,
        ATHENA_WORKGROUP: workGroup.name,
        QUERY_TIMEOUT_SECONDS: String(queryTimeoutSeconds),
      },
      memoryMiB: 1769,
      scratchMiB: 10_240, // Deleted positions of a large merge, to give each file its own.
      timeout: LONGEST_TIMEOUT,
    })
    allow(
      this.mergeByQuery,
      [
        'athena:StartQueryExecution',
        'athena:GetQueryExecution',
        'athena:GetQueryResults',
        'athena:StopQueryExecution',
      ],
      [`arn:${Aws.PARTITION}:athena:${Aws.REGION}:${Aws.ACCOUNT_ID}:workgroup/${workGroup.name}`],
    )
    this.allowFollowing(this.mergeByQuery)
    // Athena looks at both, whatever database a query names (Athena User Guide, "Configure access to databases and tables").
    allow(
      this.mergeByQuery,
      ['glue:GetDatabase'],
      [`${glueArn}:catalog`, `${glueArn}:database/default`, `${glueArn}:database/${this.database}`],
    )
    allowItems(
      this.mergeByQuery,
      items,
      ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
      writtenKinds['merge-by-query'],
    )
    allowReadingObjects(this.mergeByQuery, tables)
    allowWritingObjects(this.mergeByQuery, tables, { prefix: 'tables/' })
    allowDeletingObjects(this.mergeByQuery, tables, { prefix: 'tables/staging/' })
    allowReadingObjects(this.mergeByQuery, results)
    allowWritingObjects(this.mergeByQuery, results, { prefix: 'merges/' })
    // Athena looks where its results go (Athena User Guide, "Access to Amazon S3").
    allow(this.mergeByQuery, ['s3:GetBucketLocation'], [results.bucketArn, tables.bucketArn])
  }

  /** Rights on the tables of the database: to register them, to move their pointers, to drop them. */
  allowFollowing(grantee: IGrantable): void {
    allow(
      grantee,
      ['glue:GetTable', 'glue:GetTables', 'glue:CreateTable', 'glue:UpdateTable', 'glue:DeleteTable'],
      [`${glueArn}:catalog`, `${glueArn}:database/${this.database}`, `${glueArn}:table/${this.database}/*`],
    )
  }
}

const encryptionOf = ({ encryptionKey: key }: IBucket) =>
  key === undefined ? { encryptionOption: 'SSE_S3' } : { encryptionOption: 'SSE_KMS', kmsKey: key.keyArn }

/** Environments of one account share its catalogue. */
const databaseName = (scope: Construct, projectId: string): string => {
  const { environmentName: environment } = DeployedStack.of(scope)
  return ['millrace', environment?.replaceAll('-', '_'), projectId].filter(Boolean).join('_')
}

/** The name that functions get, whether the stack has such a service or not. */
export const glueDatabaseOf = (service: QueryService | undefined): string => service?.database ?? NONE
