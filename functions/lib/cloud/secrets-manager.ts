import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { ReadSecret } from './secrets.ts'

let client: SecretsManagerClient | undefined

export const readFromSecretsManager: ReadSecret = async (secretArn, stage) => {
  client ??= new SecretsManagerClient({})
  try {
    const input = { SecretId: secretArn, VersionStage: stage }
    const { SecretString = '', CreatedDate } = await client.send(new GetSecretValueCommand(input))
    return { text: SecretString, createdAt: CreatedDate?.getTime() ?? 0 }
  } catch (error) {
    const isMissing = error instanceof Error && error.name === 'ResourceNotFoundException'
    if (stage === 'AWSPREVIOUS' && isMissing) return undefined
    throw error
  }
}
