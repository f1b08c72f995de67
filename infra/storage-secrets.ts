import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { DATA_URL_COMPONENT } from '../functions/lib/storage/secrets/data-url-component.ts'
import { allow } from './allow.ts'
import { DeployedStack } from './deployment.ts'

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

/** The addresses that loads are read from, and no secret of a configuration. */
export const allowOpeningDataUrls = (grantee: IGrantable, key: IKey): void =>
  allow(grantee, ['kms:Decrypt'], [key.keyArn], {
    StringEquals: { 'kms:EncryptionContext:componentId': DATA_URL_COMPONENT },
  })
