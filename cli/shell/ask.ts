import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { flag } from './command.ts'
import type { Shell } from './shell.ts'

type Asked = Pick<Shell, 'stdin' | 'stderr'>

/** What is typed after a question. Ctrl-C types nothing. */
const ask = async (question: string, { stdin: input, stderr: output }: Asked): Promise<string> => {
  const prompt = createInterface({ input, output })
  const typed = await prompt.question(question).catch(() => '')
  prompt.close()
  return typed.trim()
}

/** The same without showing what is typed. */
export const askHidden = async (question: string, { stdin: input, stderr }: Asked): Promise<string> => {
  stderr.write(question)
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input, output, terminal: true })
  const typed = await prompt.question('').catch(() => '')
  prompt.close()
  stderr.write('\n')
  return typed.trim()
}

export const yesOption = flag('do not ask')

export const NO_WAY_BACK = 'This cannot be undone.'

/** Of what changes the rows of a table. */
export const WAY_BACK =
  'The table as it is now can be brought back for snapshotRetentionDays (7 by default), and longer from a snapshot that you keep first: docs/one-bad-day.md.'

/** Asks for what takes something away, which says whether it can be undone: on a terminal by typing its name, elsewhere by `--yes`. Error: `cli.usage`. */
export const confirm = async (
  what: string,
  name: string,
  { flags, shell }: { flags: { yes?: boolean | undefined }; shell: Asked },
): Promise<void> => {
  if (flags.yes) return
  if (!shell.stdin.isTTY || !shell.stderr.isTTY)
    throw new UserError('cli.usage', `${what} Give --yes to go on.`)
  if ((await ask(`${what} Type ${name} to go on: `, shell)) !== name)
    throw new UserError('cli.usage', 'Nothing was done.')
}

/** Asks before something is sent. Error where nobody can be asked: `cli.usage`. */
export const maySend = async (question: string, shell: Asked): Promise<boolean> => {
  if (shell.stdin.isTTY !== true)
    throw new UserError('cli.usage', `${question} There is nobody to ask here: give --yes to allow it.`)
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `, shell))
}
