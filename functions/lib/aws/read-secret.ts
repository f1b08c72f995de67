import { AwsClient } from 'aws4fetch'
import * as z from 'zod'
import { readEnv } from './env.ts'

const reply = z.object({ SecretString: z.string().optional() })
const refusal = z.object({ __type: z.string() }).catch({ __type: 'UnknownError' })

/** After a 429 or a 5xx. */
const RETRIES = 2
const LONGEST_MS = 10_000

/**
 * The text of a secret in Secrets Manager, by one signed request: the SDK's client would be most of a small function.
 * Empty when the secret holds no text. Credentials, region and `AWS_ENDPOINT_URL` come from the environment.
 *
 * Error: one that is named as Secrets Manager names it, with the status in `$metadata` as the SDK has it.
 */
export const readSecret = async (secretArn: string): Promise<string> => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION } = readEnv([
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
  ])
  const aws = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(process.env['AWS_SESSION_TOKEN'] && { sessionToken: process.env['AWS_SESSION_TOKEN'] }),
    service: 'secretsmanager',
    region: AWS_REGION,
    retries: RETRIES,
  })
  const response = await aws.fetch(addressIn(AWS_REGION), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.1',
      'X-Amz-Target': 'secretsmanager.GetSecretValue',
    },
    body: JSON.stringify({ SecretId: secretArn }),
    signal: AbortSignal.timeout(LONGEST_MS),
  })
  // A body that is no JSON is not repeated in the error: it may be half of a secret.
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return reply.parse(body).SecretString ?? ''
  throw Object.assign(new Error(`Secrets Manager answered ${response.status}`), {
    // Some services name their errors with a namespace in front.
    name: refusal.parse(body).__type.replace(/^.*#/, ''),
    $metadata: { httpStatusCode: response.status },
  })
}

const addressIn = (region: string): string =>
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] ||
  process.env['AWS_ENDPOINT_URL'] ||
  `https://secretsmanager.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
