import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { parseExactly } from '../../functions/lib/json/parse-exactly.ts'
import { pathIn, type Shell } from '../shell/shell.ts'

/** The JSON object in a file, or on standard input (`-`). Errors say what is wrong in a sentence. */
export const readJsonObject = async (
  path: string,
  shell: Pick<Shell, 'stdin' | 'workingFolder'>,
): Promise<Record<string, unknown>> => {
  const what = path === '-' ? 'Standard input' : path
  const content = path === '-' ? await text(shell.stdin) : await readFile(pathIn(shell, path), 'utf8')
  let value: unknown
  try {
    value = parseExactly(content)
  } catch (cause) {
    throw new UserError('cli.usage', `${what} is not JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown> // An object of JSON has texts for keys.
  throw new UserError('cli.usage', `${what} is no JSON object.`)
}
