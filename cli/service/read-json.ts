import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isObject } from '../../functions/lib/json/json-value.ts'
import { parseJson } from '../../functions/lib/json/parse-json.ts'
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
    value = parseJson(content)
  } catch (cause) {
    throw new UserError('cli.usage', `${what} is not JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
  if (isObject(value)) return value
  throw new UserError('cli.usage', `${what} is no JSON object.`)
}
