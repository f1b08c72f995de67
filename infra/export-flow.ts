import { Duration } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { NONE } from '../functions/lib/none.ts'
import type { MergeSlicesEnv } from '../functions/merge-slices/work.ts'
import { WORK_PREFIX } from '../functions/merge-slices/work-prefix.ts'
import {
  allow,
  allowDeletingObjects,
  allowReadingObjects,
  allowReadingSecret,
  allowWritingObjects,
} from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { drive } from './drive.ts'
import { NodeFunction } from './node-function.ts'
import { PrivateBucket } from './private-bucket.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'

interface ExportFlowProps {
  readonly bundle: FunctionBundle
  readonly storage: StorageEndpoint
  readonly pollJob: IFunction
  /** Buckets besides the exports bucket that exports may be written to. */
  readonly otherBuckets: readonly string[]
}

/** Longer than any export takes, so that its last step can be repeated. */
const WORK_KEPT = Duration.days(4)

/** Makes tables and sliced files single objects: the exports bucket, the merger, and its state machine. */
export class ExportFlow extends Construct {
  readonly exportsBucket: PrivateBucket
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, props: ExportFlowProps) {
    super(scope, id)
    this.exportsBucket = new PrivateBucket(this, 'Exports', {
      traits: 'exports',
      lifecycleRules: [{ prefix: WORK_PREFIX, expiration: WORK_KEPT }],
    })
    this.machine = drive(this, {
      name: 'export',
      step: mergeSlicesFunction(this, props, this.exportsBucket),
      pollJob: props.pollJob,
    })
  }
}

const mergeSlicesFunction = (
  scope: Construct,
  { bundle, storage, otherBuckets }: ExportFlowProps,
  exportsBucket: IBucket,
): IFunction => {
  const mergeSlices = new NodeFunction<MergeSlicesEnv>(scope, 'MergeSlices', {
    bundle,
    description: 'Makes one object of the slices of a file',
    environment: {
      STORAGE_URL: storage.url,
      STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn,
      FILES_BUCKET: storage.filesBucket?.bucketName ?? NONE,
      EXPORTS_BUCKET: exportsBucket.bucketName,
    },
    // For the short-lived objects of thousands of requests. The default of 16 MiB takes 50 MB more and is no faster.
    nodeFlags: ['--max-semi-space-size=4'],
  })
  allowReadingSecret(mergeSlices, storage.tokenSecret)
  if (storage.filesBucket) allowReadingObjects(mergeSlices, storage.filesBucket)
  const others = otherBuckets.map((name, index) => Bucket.fromBucketName(scope, `Other${index + 1}`, name))
  for (const bucket of [exportsBucket, ...others]) {
    allowReadingObjects(mergeSlices, bucket)
    allowWritingObjects(mergeSlices, bucket)
    allow(mergeSlices, ['s3:ListMultipartUploadParts'], [bucket.arnForObjects('*')])
    allow(mergeSlices, ['s3:ListBucketMultipartUploads'], [bucket.bucketArn])
  }
  allowDeletingObjects(mergeSlices, exportsBucket, { prefix: WORK_PREFIX })
  return mergeSlices
}
