import { UserError } from '../../functions/lib/errors/errors.ts'
import type { RunningCloud } from '../../local/runtime/running-cloud.ts'
import type { Environment, Shell } from '../shell/shell.ts'
import { findCloud } from './find-cloud.ts'
import { keptToken } from './kept-tokens.ts'
import { describeStack } from './stack-outputs.ts'
import type { StorageFlags } from './storage-options.ts'

export interface StorageAddress {
  url: string
  token: string
}

/**
 * Address and token: those given, else `MILLRACE_URL` and `MILLRACE_TOKEN`, else those of the embedded cloud that runs
 * here (`findCloud`). For an address the token may also be the one of `millrace login`, and is for another than `MILLRACE_URL`. A stack has both among its
 * outputs. A token is sent only to an address that the user, the stack or that cloud gave.
 */
export const findStorage = async (
  options: StorageFlags,
  shell: Pick<Shell, 'environment' | 'workingFolder'>,
): Promise<StorageAddress> => {
  const { environment } = shell
  if (options.stack !== undefined && options.url !== undefined)
    throw new UserError('cli.usage', 'Give --stack or --url, not both.')
  const token = options.token ?? (environment['MILLRACE_TOKEN'] || undefined)
  if (options.stack !== undefined) return ofStack(options.stack, token)
  const url = options.url ?? (environment['MILLRACE_URL'] || undefined)
  if (url !== undefined) {
    // The token of the environment is that of its address: it goes to another one only when none is kept for that.
    const isElsewhere =
      options.url !== undefined && options.url !== environment['MILLRACE_URL'] && URL.canParse(url)
    const kept = isElsewhere && options.token === undefined ? await keptToken(url, environment) : undefined
    return { url, token: kept ?? token ?? (await keptTokenOf(url, environment)) }
  }
  const { cloud, place } = await findCloud(shell)
  if (!cloud)
    throw new UserError(
      'cli.noStorage',
      `Which storage service? Give --url and --token, set MILLRACE_URL and MILLRACE_TOKEN, name a --stack, or start the ` +
        `embedded cloud with millrace start (none runs on ${place}).`,
    )
  return { url: cloud.api, token: token ?? (await tokenOfCloud(cloud)) }
}

const keptTokenOf = async (url: string, environment: Environment): Promise<string> => {
  if (!URL.canParse(url))
    throw new UserError('cli.usage', `"${url}" is not an address. Write it like https://storage.example.com.`)
  const token = await keptToken(url, environment)
  if (token !== undefined) return token
  throw new UserError(
    'cli.noToken',
    `Which token is for ${url}? Set MILLRACE_TOKEN, give --token, or run millrace login --url ${url}.`,
  )
}

const ofStack = async (name: string, given: string | undefined): Promise<StorageAddress> => {
  const outputs = await describeStack(name)
  const url = outputs['ApiUrl']
  if (url === undefined)
    throw new UserError('cli.noStorage', `The stack ${name} has no output ApiUrl: is it a stack of Millrace?`)
  return { url, token: given ?? (await readToken({}, outputs['StorageTokenSecret'])) }
}

const tokenOfCloud = (cloud: RunningCloud) =>
  readToken(secretsClientOf(cloud), cloud.outputs['StorageTokenSecret'])

export interface SecretsClient {
  endpoint?: string
  region?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** How a client of Secrets Manager reaches the embedded cloud. */
export const secretsClientOf = ({
  control,
  region,
  accessKeyId,
  secretAccessKey,
}: RunningCloud): SecretsClient => ({
  endpoint: control,
  region,
  credentials: { accessKeyId, secretAccessKey },
})

const readToken = async (client: SecretsClient, secretArn: string | undefined): Promise<string> => {
  if (secretArn === undefined) throw new UserError('cli.noToken', 'The stack names no token: give --token.')
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  const { readStorageToken } = await import('../../functions/lib/storage-client/storage-token.ts')
  const secrets = new SecretsManagerClient(client)
  try {
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretArn }))
    return readStorageToken(SecretString ?? '')
  } finally {
    secrets.destroy()
  }
}
