import { createInterface } from 'node:readline/promises'
import { UserError } from '../../functions/lib/errors/errors.ts'
import type { Shell } from './shell.ts'

/**
 * Asks before something is sent. Ctrl-C says no.
 *
 * @throws UserError `cli.usage` where nobody can be asked
 */
export const maySend = async (question: string, { stdin, stderr }: Shell): Promise<boolean> => {
  if (stdin.isTTY !== true)
    throw new UserError('cli.usage', `${question} There is nobody to ask here: give --yes to allow it.`)
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    return /^\s*y(es)?\s*$/i.test(await prompt.question(`${question} [y/N] `).catch(() => ''))
  } finally {
    prompt.close()
  }
}
