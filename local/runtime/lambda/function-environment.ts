import { join } from 'node:path'
import { account } from '../resources/resource-type.ts'
import type { FunctionDefinition } from './function-definition.ts'

/** Base URLs of the services, for the AWS SDK. */
export interface ServiceEndpoints {
  readonly s3: string
  readonly dynamodb: string
  /** Step Functions, SQS, Secrets Manager, KMS and EventBridge answer at one address. */
  readonly control: string
}

/**
 * What a function finds in `process.env` besides its credentials: the template's variables and what Lambda sets.
 *
 * Nothing of this process's own environment is passed on: a function that needs a variable of somebody's shell would
 * fail in the account.
 */
export const functionEnvironment = (
  definition: FunctionDefinition,
  endpoints: ServiceEndpoints,
  dataDir: string,
): Record<string, string> => ({
  AWS_REGION: account.region,
  AWS_DEFAULT_REGION: account.region,
  AWS_LAMBDA_FUNCTION_NAME: definition.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMiB),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: definition.codeFolder,
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${definition.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  // AWS_EXECUTION_ENV stays unset: without it powertools' tracer knows that there is no X-Ray daemon to talk to.
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
  // The developer's own profile must not give a function rights that its role lacks.
  AWS_CONFIG_FILE: join(dataDir, 'no-aws-config'),
  AWS_SHARED_CREDENTIALS_FILE: join(dataDir, 'no-aws-credentials'),
  AWS_EC2_METADATA_DISABLED: 'true',
  // A service that is not listed below is refused by name at the control endpoint instead of being called for real.
  AWS_ENDPOINT_URL: endpoints.control,
  AWS_ENDPOINT_URL_S3: endpoints.s3,
  AWS_ENDPOINT_URL_STS: endpoints.s3,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  // Lambda has no such folder: there the logs are in CloudWatch.
  LOG_FOLDER: join(dataDir, 'logs'),
  ...definition.environment,
})
