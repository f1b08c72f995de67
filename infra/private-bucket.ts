import { Duration } from 'aws-cdk-lib'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type CorsRule,
  HttpMethods,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { DeployedStack } from './deployment.ts'
import { type BucketName, type BucketTraits, buckets } from './system.ts'

interface PrivateBucketProps {
  /** Of system.ts. */
  readonly traits: BucketName
  /** In place of what system.ts says. */
  readonly versionDays?: number
  readonly lifecycleRules?: LifecycleRule[]
}

/** Unfinished uploads cost storage until they are removed. */
const ABANDONED_UPLOAD_DAYS = 7

/** The address of the service is known only when it is deployed, and a page may be another's: the signature decides. */
const browserRule: CorsRule = {
  allowedOrigins: ['*'],
  allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT, HttpMethods.POST],
  allowedHeaders: ['*'],
  exposedHeaders: ['ETag'],
  maxAge: 3600,
}

/** A bucket with our defaults: private, encrypted, TLS only, and kept when the stack goes, unless its configuration says otherwise. */
export class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, props: PrivateBucketProps) {
    const traits: BucketTraits = buckets[props.traits]
    const { sendsEvents = false, acceptsAcls = false, answersBrowsers = false } = traits
    const { versionDays = traits.versionDays ?? 0, lifecycleRules = [] } = props
    const { dataKey, dataRemovalPolicy } = DeployedStack.of(scope)
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      ...(dataKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : // With a key of the bucket, S3 asks KMS once in a while instead of once for each object.
          { encryption: BucketEncryption.KMS, encryptionKey: dataKey, bucketKeyEnabled: true }),
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: versionDays > 0,
      // The default refuses every request that names an ACL. Public access stays blocked either way.
      ...(acceptsAcls ? { objectOwnership: ObjectOwnership.BUCKET_OWNER_PREFERRED } : {}),
      ...(answersBrowsers ? { cors: [browserRule] } : {}),
      removalPolicy: dataRemovalPolicy,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(ABANDONED_UPLOAD_DAYS),
          ...(versionDays > 0 && {
            noncurrentVersionExpiration: Duration.days(versionDays),
            // What is left of a deleted object when its versions have gone.
            expiredObjectDeleteMarker: true,
          }),
        },
        ...lifecycleRules,
      ],
    })
    // The L2 flag (eventBridgeEnabled) would add a custom-resource function with rights on every bucket.
    const bucket = this.node.defaultChild as CfnBucket // A Bucket's default child is its CfnBucket.
    if (sendsEvents)
      bucket.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } }
  }
}
