import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { DeployedStack } from './deployment.ts'
import type { WorkSizes } from './work-sizes.ts'

/** A storage service, ours or a hosted one, as the functions around it see it. */
export interface StorageEndpoint {
  /** Address without `/v2/storage`. */
  readonly url: string
  readonly tokenSecret: ISecret
  /** Set when the service is in the same stack: its files can be copied inside S3. */
  readonly filesBucket?: IBucket
  /** Set when the service is in the same stack: what it refuses to load. */
  readonly sizes?: WorkSizes
  /** Set when the service is in the same stack: decrypts the secrets of its configurations. */
  readonly secretsKey?: IKey
  /** Set when the service is in the same stack: its API, which starts failed executions again. */
  readonly storageApi?: IFunction
}

/** `{"projectId","tokenId","secret"}`, read by functions/lib/storage-client/storage-token.ts as `<projectId>-<tokenId>-<secret>`. */
export const masterToken = (scope: Construct, projectId: string): Secret =>
  new Secret(scope, 'Token', {
    description: 'Master token of the storage service',
    ...keyOfSecret(scope),
    // With the data that it opens.
    removalPolicy: DeployedStack.of(scope).dataRemovalPolicy,
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ projectId, tokenId: '1' }),
      generateStringKey: 'secret',
      passwordLength: 40,
      excludePunctuation: true,
    },
  })

const keyOfSecret = (scope: Construct) => {
  const { dataKey } = DeployedStack.of(scope)
  return dataKey === undefined ? {} : { encryptionKey: dataKey }
}

export const secretsKey = (scope: Construct): IKey =>
  new Key(scope, 'SecretsKey', {
    description: 'Wraps the data keys of the secrets in configurations',
    enableKeyRotation: true,
    // Without it every stored secret is lost.
    removalPolicy: DeployedStack.of(scope).dataRemovalPolicy,
  })
