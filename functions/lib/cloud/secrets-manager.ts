import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { unlessNamed } from './machines.ts'
import type { ReadSecret } from './secrets.ts'

let client: SecretsManagerClient | undefined

export const readFromSecretsManager: ReadSecret = async (secretArn, stage) => {
  client ??= new SecretsManagerClient({})
  const command = new GetSecretValueCommand({ SecretId: secretArn, VersionStage: stage })
  const none = stage === 'AWSPREVIOUS' ? ['ResourceNotFoundException'] : []
  const found = await client.send(command).catch(unlessNamed(...none))
  return found && { text: found.SecretString ?? '', createdAt: found.CreatedDate?.getTime() ?? 0 }
}
