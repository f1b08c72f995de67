import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { isObject } from '../../functions/lib/json/json-value.ts'
import { parseJson } from '../../functions/lib/json/parse-json.ts'
import { pathIn, type Shell } from './shell.ts'

type Input = Pick<Shell, 'stdin' | 'workingFolder'>

/** The text of a file, or of standard input (`-`). */
export const readText = (path: string, shell: Input): Promise<string> =>
  path === '-' ? text(shell.stdin) : readFile(pathIn(shell, path), 'utf8')

/** A text as JSON. The error says what is wrong with whatever `what` names. */
export const jsonOf = (content: string, what: string): unknown => {
  try {
    return parseJson(content)
  } catch (cause) {
    throw new UserError('cli.usage', `${what} is not JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** How sentences call a file or standard input. */
export const nameOfInput = (path: string): string => (path === '-' ? 'Standard input' : path)

/** The JSON object in a file, or on standard input (`-`). */
export const readJsonObject = async (path: string, shell: Input): Promise<Record<string, unknown>> => {
  const what = nameOfInput(path)
  const value = jsonOf(await readText(path, shell), what)
  if (isObject(value)) return value
  throw new UserError('cli.usage', `${what} is no JSON object.`)
}
