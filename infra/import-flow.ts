import { Rule } from 'aws-cdk-lib/aws-events'
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { NONE } from '../functions/lib/none.ts'
import { LANDING_RULES_FILE, type LandingRule } from '../functions/start-import/landing-rules.ts'
import type { StartImportEnv } from '../functions/start-import/work.ts'
import {
  allow,
  allowItems,
  allowListingVersions,
  allowReadingObjects,
  allowReadingSecret,
  allowWritingObjects,
} from './allow.ts'
import { allowApart } from './allow-apart.ts'
import { type FunctionBundle, withFile } from './bundle.ts'
import { drive } from './drive.ts'
import { ItemTable } from './item-table.ts'
import { executionsOf } from './machine-identity.ts'
import { NodeFunction, ServiceRole } from './node-function.ts'
import { PrivateBucket } from './private-bucket.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'
import { loadLimits } from './work-sizes.ts'

interface ImportFlowProps {
  readonly bundle: FunctionBundle
  readonly storage: StorageEndpoint
  readonly pollJob: IFunction
  readonly landingRules: readonly LandingRule[]
  /** KMS keys that landed objects are encrypted with. */
  readonly landingKeyArns: readonly string[]
  /** Receives events that could not be delivered for a day. */
  readonly undelivered: IQueue
}

/** Drop a file, get a table: the landing bucket, its rule, and the machine that imports what lands. */
export class ImportFlow extends Construct {
  readonly landingBucket: PrivateBucket
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, props: ImportFlowProps) {
    super(scope, id)
    this.landingBucket = new PrivateBucket(this, 'Landing', {
      traits: 'landing',
    })
    const startImport = startImportFunction(this, props, this.landingBucket)
    this.machine = drive(this, {
      name: 'import',
      step: startImport,
      pollJob: props.pollJob,
    })
    // The hook sees whether the execution that holds a key has ended.
    allowApart(this, 'LookAfterExecutions', startImport.role, [
      {
        actions: ['states:DescribeExecution'],
        resources: [executionsOf(this.machine.stateMachineName)],
      },
    ])
    new Rule(this, 'ObjectLanded', {
      description: 'Starts an import for each object that lands',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [this.landingBucket.bucketName] } },
      },
      // EventBridge retries for a day; after that the event waits there.
      targets: [
        new SfnStateMachine(this.machine, {
          role: new ServiceRole(this, 'EventsRole', 'events.amazonaws.com'),
          deadLetterQueue: props.undelivered,
        }),
      ],
    })
  }
}

const startImportFunction = (
  scope: Construct,
  { bundle, storage, landingRules, landingKeyArns }: ImportFlowProps,
  landingBucket: IBucket,
): IFunction => {
  const records = new ItemTable(scope, 'Records', { partitionKey: 'id', expiryAttribute: 'expiresAt' })
  const startImport = new NodeFunction<StartImportEnv>(scope, 'StartImport', {
    bundle: withFile(bundle, LANDING_RULES_FILE, JSON.stringify(landingRules)),
    description: 'Moves a landed object into the storage service and starts its import',
    environment: {
      STORAGE_URL: storage.url,
      STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn,
      IMPORTS_TABLE: records.tableName,
      FILES_BUCKET: storage.filesBucket?.bucketName ?? NONE,
      ...loadLimits(storage.sizes),
    },
  })
  allowReadingSecret(startImport, storage.tokenSecret)
  allowItems(startImport, records, ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'])
  allowReadingObjects(startImport, landingBucket, { versions: true })
  allowListingVersions(startImport, landingBucket)
  if (landingKeyArns.length > 0) allow(startImport, ['kms:Decrypt'], [...landingKeyArns])
  if (storage.filesBucket) {
    allowWritingObjects(startImport, storage.filesBucket)
    // An abort looks whether parts are left (S3 API Reference, "AbortMultipartUpload").
    allow(startImport, ['s3:ListMultipartUploadParts'], [storage.filesBucket.arnForObjects('*')])
  }
  return startImport
}
