import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Shell } from '../shell/shell.ts'
import { findInstallation, type Installation } from './installation.ts'
import { keptToken } from './kept-tokens.ts'

/** Which storage service a command talks to. */
export interface StorageFlags {
  url?: string | undefined
  token?: string | undefined
  /** CloudFormation stack of a deployed service. */
  stack?: string | undefined
}

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
  const { stack } = options
  if (stack !== undefined && options.url !== undefined)
    throw new UserError('cli.usage', 'Give --stack or --url, not both.')
  const token = options.token ?? (environment['MILLRACE_TOKEN'] || undefined)
  const given = options.url ?? (environment['MILLRACE_URL'] || undefined)
  if (stack === undefined && given !== undefined) {
    const url = addressOf(given)
    // The token of the environment is that of its address: it goes to another one only when none is kept for that.
    const isElsewhere = options.url !== undefined && options.url !== environment['MILLRACE_URL']
    if (token !== undefined && (options.token !== undefined || !isElsewhere)) return { url, token }
    return { url, token: (await keptToken(url, environment)) ?? token ?? askFor(url) }
  }
  const installation = await findInstallation(
    stack,
    shell,
    place =>
      `Which storage service? Give --url and --token, set MILLRACE_URL and MILLRACE_TOKEN, name a --stack, or start the ` +
      `embedded cloud with millrace start (none runs on ${place}).`,
  )
  const { ApiUrl } = installation.outputs
  if (ApiUrl === undefined)
    throw new UserError(
      'cli.noStorage',
      `The stack ${stack} has no output ApiUrl: is it a stack of Millrace?`,
    )
  return { url: ApiUrl, token: token ?? (await readToken(installation)) }
}

/** The address, when it is one. */
export const addressOf = (url: string): string => {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new UserError('cli.usage', `"${url}" is not an address. Write it like https://storage.example.com.`)
}

const askFor = (url: string): never => {
  throw new UserError(
    'cli.noToken',
    `Which token is for ${url}? Set MILLRACE_TOKEN, give --token, or run millrace login --url ${url}.`,
  )
}

const readToken = async ({ outputs, readSecret }: Installation): Promise<string> => {
  const { StorageTokenSecret: secretArn } = outputs
  if (secretArn === undefined) throw new UserError('cli.noToken', 'The stack names no token: give --token.')
  const { readStorageToken } = await import('../../functions/lib/storage-client/storage-token.ts')
  const read = await readSecret()
  return readStorageToken((await read(secretArn, 'AWSCURRENT'))?.text ?? '')
}
