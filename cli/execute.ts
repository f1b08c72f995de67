import { runMachine } from './connect/run-machine.ts'
import { command, option } from './shell/command.ts'
import { printableJson } from './shell/printable.ts'
import { jsonOf, nameOfInput, readText } from './shell/read-json.ts'
import { exitCodes } from './shell/say-error.ts'
import type { Shell } from './shell/shell.ts'

/** `millrace execute`: runs a state machine by its construct name until its end. */
export const execute = command({
  description: 'start a state machine, wait for its end, and print its output as JSON',
  args: {
    '<machine>': 'construct name, such as import, export or extract',
    '<input>': 'JSON text, a file that holds it, or - for standard input',
  },
  options: { stack: option('<name>', 'run it in the account, in this CloudFormation stack') },
  run: async ({ flags, shell }, machine, given) => {
    const input = JSON.parse(await readInput(given, shell))
    const ended = await runMachine({ stack: flags.stack, machine, input }, shell)
    if (ended === undefined) return exitCodes.userError
    shell.stdout.write(`${printableJson(ended.output)}\n`)
    return exitCodes.success
  },
})

/** The input itself when it is JSON text; otherwise the content of a file, or of standard input. */
const readInput = async (given: string, shell: Shell): Promise<string> =>
  /^\s*[[{"]/.test(given)
    ? checkJson(given, 'The input')
    : checkJson(await readText(given, shell), nameOfInput(given))

/** The text of an input. In the dead letter of an execution that was stopped, the input is a text that holds it. */
const checkJson = (text: string, what: string): string => {
  const value = jsonOf(text, what)
  return typeof value === 'string' ? checkJson(value, what) : text
}
