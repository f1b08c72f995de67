import { createInterface } from 'node:readline/promises'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { option } from './command.ts'
import type { Shell } from './shell.ts'

export const yesOption = option('--yes', 'do not ask')

export const NO_WAY_BACK = 'This cannot be undone.'

/** Of what changes the rows of a table. */
export const WAY_BACK =
  'The table as it is now can be brought back for snapshotRetentionDays (7 by default), and longer from a snapshot that you keep first: docs/one-bad-day.md.'

/** Asks for what takes something away, which says whether it can be undone: on a terminal by typing its name, elsewhere by `--yes`. Error: `cli.usage`. */
export const confirm = async (
  what: string,
  name: string,
  { flags, shell }: { flags: { yes?: boolean }; shell: Pick<Shell, 'stdin' | 'stderr'> },
): Promise<void> => {
  if (flags.yes) return
  const { stdin: input, stderr: output } = shell
  if (!input.isTTY || !output.isTTY) throw new UserError('cli.usage', `${what} Give --yes to go on.`)
  const prompt = createInterface({ input, output })
  const typed = await prompt.question(`${what} Type ${name} to go on: `).catch(() => '') // Ctrl-C says no
  prompt.close()
  if (typed.trim() !== name) throw new UserError('cli.usage', 'Nothing was done.')
}
