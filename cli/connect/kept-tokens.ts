import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Environment } from '../shell/shell.ts'
import { writePrivately } from '../shell/write-privately.ts'

/** Tokens by the origins of their services. */
const tokens = z.record(z.url(), z.string())

/** The file of `millrace login`. Its owner alone reads it. */
export const tokensFile = (environment: Environment): string =>
  join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'millrace', 'tokens.json')

/** Error: `cli.keptTokens`. */
const readTokens = async (environment: Environment): Promise<Record<string, string>> => {
  const file = tokensFile(environment)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw new UserError('cli.keptTokens', `The tokens cannot be read: ${error.message}`)
  })
  try {
    return tokens.parse(JSON.parse(text))
  } catch {
    throw new UserError(
      'cli.keptTokens',
      `${file} does not hold tokens: mend it, or delete it and log in again.`,
    )
  }
}

/** Keeps the token of an address, or forgets it when there is none. */
export const keepToken = async (
  url: string,
  token: string | undefined,
  environment: Environment,
): Promise<void> => {
  const { origin } = new URL(url)
  const { [origin]: _, ...others } = await readTokens(environment)
  const file = tokensFile(environment)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const kept = { ...others, ...(token !== undefined && { [origin]: token }) }
  await writePrivately(file, `${JSON.stringify(kept, null, 2)}\n`)
}

/** The token that is kept for this address, if any. */
export const keptToken = async (url: string, environment: Environment): Promise<string | undefined> => {
  const { origin } = new URL(url)
  const kept = await readTokens(environment)
  return Object.hasOwn(kept, origin) ? kept[origin] : undefined
}
