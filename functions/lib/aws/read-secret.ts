import * as z from 'zod/mini'
import type { ReadSecret } from './secret-version.ts'
import { createJsonRequest } from './signed-json.ts'

const reply = z.object({ SecretString: z.optional(z.string()), CreatedDate: z.optional(z.number()) })

export const readSecret: ReadSecret = async (secretArn, stage) => {
  const request = createJsonRequest({
    name: 'secretsmanager',
    target: 'secretsmanager',
    jsonVersion: '1.1',
    endpointName: 'SECRETS_MANAGER',
  })
  try {
    const input = { SecretId: secretArn, VersionStage: stage }
    const { SecretString = '', CreatedDate = 0 } = reply.parse(await request('GetSecretValue', input))
    return { text: SecretString, createdAt: CreatedDate * 1000 }
  } catch (error) {
    // A secret that was never replaced has no version before.
    const isMissing = error instanceof Error && error.name === 'ResourceNotFoundException'
    if (stage === 'AWSPREVIOUS' && isMissing) return undefined
    throw error
  }
}
