import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { PreviewExtractionEnv } from '../functions/run-extractor/preview/work.ts'
import { allow } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { NodeFunction } from './node-function.ts'

interface PreviewFunctionProps {
  readonly projectId: string
  readonly secretsKey: IKey
  /** Hosts that may be reached although they are not on the public internet. */
  readonly allowedHosts: readonly string[]
}

/** Previews configurations for the storage API. It opens secrets and has no other right: what it shows, it returns. */
export const previewFunction = (
  scope: Construct,
  bundle: FunctionBundle,
  { projectId, secretsKey, allowedHosts }: PreviewFunctionProps,
): IFunction => {
  const preview = new NodeFunction<PreviewExtractionEnv>(scope, 'PreviewExtraction', {
    bundle,
    description: 'Extracts the first rows of a configuration, for people who try it',
    environment: {
      PROJECT_ID: projectId,
      SECRETS_KEY_ARN: secretsKey.keyArn,
      ALLOWED_HOSTS: JSON.stringify(allowedHosts),
    },
  })
  allow(preview, ['kms:Decrypt'], [secretsKey.keyArn])
  return preview
}
