import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../functions/lib/errors/errors.ts'
import type { Environment } from './shell.ts'
import { writePrivately } from './write-privately.ts'

const savedLogins = z.record(z.string(), z.string())

/** Tokens by the origin of their service, in a file that its owner alone reads. */
const fileOf = (environment: Environment): string =>
  join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'millrace', 'logins.json')

const readLogins = async (file: string): Promise<Record<string, string>> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw new UserError('cli.logins', `The saved logins cannot be read: ${error.message}`)
  })
  try {
    return savedLogins.parse(JSON.parse(text))
  } catch {
    throw new UserError(
      'cli.logins',
      `The saved logins in ${file} are damaged: delete the file, and log in again.`,
    )
  }
}

/** The token that was saved for this address, if any. */
export const savedToken = async (url: string, environment: Environment): Promise<string | undefined> =>
  (await readLogins(fileOf(environment)))[new URL(url).origin]

/** Resolves to the path of the file. */
export const saveToken = async (url: string, token: string, environment: Environment): Promise<string> => {
  const file = fileOf(environment)
  const logins = { ...(await readLogins(file)), [new URL(url).origin]: token }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writePrivately(file, `${JSON.stringify(logins, null, 2)}\n`)
  return file
}
