import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Environment } from '../shell/shell.ts'
import { writePrivately } from '../shell/write-privately.ts'
import type { StorageFlags } from './storage-options.ts'

/** An installation that `millrace login` keeps under a name: its address with a token, or its stack. */
const profile = z.union([
  z.strictObject({ url: z.url(), token: z.string() }),
  z.strictObject({ stack: z.string() }),
])
export type Profile = z.infer<typeof profile>
const profiles = z.record(z.string(), profile)

/** Its owner alone reads it. */
export const profilesFile = (environment: Environment): string =>
  join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'millrace', 'profiles.json')

/** Error: `cli.profiles`. */
export const readProfiles = async (environment: Environment): Promise<Record<string, Profile>> => {
  const file = profilesFile(environment)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw new UserError('cli.profiles', `The profiles cannot be read: ${error.message}`)
  })
  try {
    return profiles.parse(JSON.parse(text))
  } catch {
    throw new UserError(
      'cli.profiles',
      `${file} does not hold profiles: mend it, or delete it and log in again.`,
    )
  }
}

/** Keeps a profile, or drops it when there is none. */
export const writeProfile = async (
  name: string,
  kept: Profile | undefined,
  environment: Environment,
): Promise<void> => {
  const { [name]: _, ...others } = await readProfiles(environment)
  const file = profilesFile(environment)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writePrivately(file, `${JSON.stringify({ ...others, ...(kept && { [name]: kept }) }, null, 2)}\n`)
}

/** The token that is kept for this address, if any. */
export const savedToken = async (url: string, environment: Environment): Promise<string | undefined> => {
  const { origin } = new URL(url)
  for (const kept of Object.values(await readProfiles(environment)))
    if ('url' in kept && new URL(kept.url).origin === origin) return kept.token
  return undefined
}

/** Error: `cli.profiles` when there is none of this name. */
export const findProfile = async (name: string, environment: Environment): Promise<Profile> => {
  const all = await readProfiles(environment)
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  if (found) return found
  throw new UserError(
    'cli.profiles',
    `There is no profile "${name}". There are: ${Object.keys(all).join(', ') || 'none'}. millrace login --profile ${name} --url ADDRESS makes it.`,
  )
}

/**
 * The flags with those of the profile that they name, else of `MILLRACE_PROFILE` unless flags or `MILLRACE_URL` say which installation.
 * The token of a profile is the one for its address: `MILLRACE_TOKEN` may be another's.
 */
export const withProfile = async <Flags extends StorageFlags>(
  flags: Flags,
  environment: Environment,
): Promise<Flags> => {
  const isPlaced = flags.url !== undefined || flags.stack !== undefined
  if (flags.profile !== undefined && isPlaced)
    throw new UserError('cli.usage', 'Give one of --profile, --url and --stack.')
  const byDefault = isPlaced || environment['MILLRACE_URL'] ? '' : environment['MILLRACE_PROFILE']
  const name = flags.profile ?? byDefault
  if (!name) return flags
  const found = await findProfile(name, environment)
  return { ...found, ...flags }
}
