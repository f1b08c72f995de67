import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager'

/** A storage service, ours or a hosted one, as the functions around it see it. */
export interface StorageEndpoint {
  /** Address without `/v2/storage`. */
  readonly url: string
  readonly tokenSecret: ISecret
}
