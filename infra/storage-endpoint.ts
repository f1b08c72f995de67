import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'
import type { LoadLimits } from './large-data.ts'

/** A storage service, ours or a hosted one, as the functions around it see it. */
export interface StorageEndpoint {
  /** Address without `/v2/storage`. */
  readonly url: string
  readonly tokenSecret: ISecret
  /** Set when the service is in the same stack: its files can be copied inside S3. */
  readonly filesBucket?: IBucket
  /** Set when the service is in the same stack: what it refuses to load. */
  readonly loadLimits?: LoadLimits
  /** Set when the service is in the same stack: decrypts the secrets of its configurations. */
  readonly secretsKey?: IKey
  /** Set when the service is in the same stack: keeps dead letters where its API lists them. */
  readonly keepDeadLetter?: IFunction
  /** Set when the service is in the same stack: its API, which starts failed executions again. */
  readonly storageApi?: IFunction
}
