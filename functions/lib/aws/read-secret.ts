import * as z from 'zod/mini'
import { createJsonRequest } from './signed-json.ts'

const reply = z.object({ SecretString: z.optional(z.string()) })

/** The text of a secret in Secrets Manager. Empty when the secret holds no text. */
export const readSecret = async (secretArn: string): Promise<string> => {
  const request = createJsonRequest({
    name: 'secretsmanager',
    target: 'secretsmanager',
    jsonVersion: '1.1',
    endpointName: 'SECRETS_MANAGER',
  })
  return reply.parse(await request('GetSecretValue', { SecretId: secretArn })).SecretString ?? ''
}
