import { randomUUID } from 'node:crypto'
import { executionArnOf } from '../functions/lib/cloud/machines.ts'
import { UserError } from '../functions/lib/errors/errors.ts'
import { describeFailure } from '../functions/lib/errors/machine-failure.ts'
import { machineArnFrom } from '../local/runtime/machine-output.ts'
import { followExecution } from './connect/follow-execution.ts'
import { findMachines } from './connect/installation.ts'
import { command, option } from './shell/command.ts'
import { printableJson } from './shell/printable.ts'
import { jsonOf, nameOfInput, readText } from './shell/read-json.ts'
import { exitCodes } from './shell/say-error.ts'
import { type Shell, sayIn } from './shell/shell.ts'

/** `millrace execute`: runs a state machine by its construct name until its end. */
export const execute = command({
  description: 'start a state machine, wait for its end, and print its output as JSON',
  args: {
    '<machine>': 'construct name, such as import, export or extract',
    '<input>': 'JSON text, a file that holds it, or - for standard input',
  },
  options: { stack: option('<name>', 'run it in the account, in this CloudFormation stack') },
  run: async ({ flags, shell }, machine, given) => {
    const say = sayIn(shell)
    const input = await readInput(given, shell)
    const { outputs, machines: open } = await findMachines(flags.stack, shell)
    const machines = await open()
    const execution = { machineArn: arnOf(outputs, machine), name: randomUUID() }
    await machines.start({ ...execution, input: JSON.parse(input) })
    const executionArn = executionArnOf(execution)
    say(executionArn)
    const { status, output, error, cause } = await followExecution(machines, executionArn)
    if (status === 'SUCCEEDED') {
      shell.stdout.write(`${printableJson(JSON.parse(output ?? 'null'))}\n`)
      return exitCodes.success
    }
    const { message } = describeFailure({ Cause: cause })
    say([status, error, message].filter(Boolean).join(': '))
    return exitCodes.userError
  },
})

const arnOf = (outputs: Readonly<Record<string, string>>, machine: string): string => {
  try {
    return machineArnFrom(outputs, machine)
  } catch (cause) {
    throw new UserError('cli.notFound', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

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
