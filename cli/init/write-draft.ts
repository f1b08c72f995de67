import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { pathIn, type Shell } from '../shell/shell.ts'

/** Where the configuration goes. To be asked before anything is sent: a file that is there stays as it is. */
export const draftFile = (dataDir: string | undefined, shell: Shell): string => {
  const file = join(pathIn(shell, dataDir ?? '.'), 'config.json')
  if (existsSync(file))
    throw new UserError('cli.usage', `${file} is there already. Name another folder, or move it away first.`)
  return file
}

/** Only its owner may read it: it may hold secrets. */
export const writeDraft = async (file: string, draft: unknown): Promise<void> => {
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, `${JSON.stringify(draft, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
}

/** The attributes of a draft that hold secrets. */
export const secretNames = (config: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(config).filter(name => name.startsWith('#'))

/** The attributes with secrets left empty. */
export const withoutValues = <Config extends Readonly<Record<string, unknown>>>(config: Config): Config => ({
  ...config,
  ...Object.fromEntries(secretNames(config).map(name => [name, ''])),
})
