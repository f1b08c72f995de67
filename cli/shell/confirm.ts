import { createInterface } from 'node:readline/promises'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { option } from './command.ts'
import type { Shell } from './shell.ts'

export const yesOption = option('--yes', 'do not ask')

/** Asks for what cannot be undone: on a terminal by typing its name, elsewhere by `--yes`. Error: `cli.usage`. */
export const confirm = async (
  what: string,
  name: string,
  { flags, shell }: { flags: { yes?: boolean }; shell: Pick<Shell, 'stdin' | 'stderr'> },
): Promise<void> => {
  if (flags.yes) return
  const { stdin: input, stderr: output } = shell
  if (!input.isTTY || !output.isTTY)
    throw new UserError('cli.usage', `${what} This cannot be undone: give --yes to go on.`)
  const prompt = createInterface({ input, output })
  const typed = await prompt.question(`${what} This cannot be undone. Type ${name} to go on: `)
  prompt.close()
  if (typed.trim() !== name) throw new UserError('cli.usage', 'Nothing was done.')
}
