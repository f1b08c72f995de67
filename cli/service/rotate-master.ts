import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { findCloud } from '../connect/find-cloud.ts'
import { type SecretsClient, secretsClientOf } from '../connect/find-storage.ts'
import { describeStack } from '../connect/stack-outputs.ts'
import type { ServiceFlags } from '../connect/storage-options.ts'
import type { Call } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'

/** As many as a deployment generates. */
const SECRET_LENGTH = 40
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const tokenParts = z.looseObject({ secret: z.string() })

/**
 * Replaces the master token by a new version of its secret. Functions read it within five minutes, and the one before is
 * accepted for the time that the stack's configuration names: nothing that is under way fails.
 */
export const rotateMaster = async ({ flags, shell, out }: Call<ServiceFlags>): Promise<undefined> => {
  if (flags.url !== undefined || flags.token !== undefined)
    throw new UserError(
      'cli.usage',
      'The master token is replaced in its secret: name a --stack, or none for the embedded cloud.',
    )
  const { client, secretArn } = await findSecret(flags.stack, shell)
  if (secretArn === undefined)
    throw new UserError('cli.noToken', 'The stack names no secret of a master token.')
  const versionId = await replaceSecret(client, secretArn)
  out.show({ secretArn, versionId }, () =>
    out.line(
      'The master token is replaced. Functions read the new one within five minutes, and the one before is accepted for ' +
        'as long as masterTokenOverlapMinutes says.',
    ),
  )
}

const findSecret = async (
  stack: string | undefined,
  shell: Shell,
): Promise<{ client: SecretsClient; secretArn: string | undefined }> => {
  if (stack !== undefined)
    return { client: {}, secretArn: (await describeStack(stack))['StorageTokenSecret'] }
  const { cloud } = await findCloud(shell)
  if (!cloud)
    throw new UserError(
      'cli.noStorage',
      'No embedded cloud runs here: start it with millrace start, or name a --stack.',
    )
  return { client: secretsClientOf(cloud), secretArn: cloud.outputs['StorageTokenSecret'] }
}

const replaceSecret = async (client: SecretsClient, SecretId: string): Promise<string | undefined> => {
  const { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } = await import(
    '@aws-sdk/client-secrets-manager'
  )
  const secrets = new SecretsManagerClient(client)
  try {
    const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }))
    const parts = tokenParts.safeParse(parseJson(SecretString))
    if (!parts.success)
      throw new UserError(
        'cli.usage',
        'This stack uses a token that another service made: replace it there, and store it in the secret.',
      )
    const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    const put = { SecretId, SecretString: JSON.stringify({ ...parts.data, secret }) }
    return (await secrets.send(new PutSecretValueCommand(put))).VersionId
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidRequestException')
      throw new UserError('cli.usage', error.message, { cause: error })
    throw error
  } finally {
    secrets.destroy()
  }
}

// Swallows the error: JSON.parse quotes its input, which is a secret.
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
