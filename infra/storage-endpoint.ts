import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'

/** A storage service, ours or a hosted one, as the functions around it see it. */
export interface StorageEndpoint {
  /** Address without `/v2/storage`. */
  readonly url: string
  readonly tokenSecret: ISecret
  /** Only of a service in the same stack: its files can be copied inside S3. */
  readonly filesBucket?: IBucket
  /** Only of a service in the same stack: opens the secrets of its configurations. */
  readonly secretsKey?: IKey
}
