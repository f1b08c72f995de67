import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { UserError } from '../functions/lib/errors/errors.ts'
import { machineArnFrom } from '../local/runtime/machine-output.ts'
import { connectMachines } from './connect/connect-machines.ts'
import { followExecution, readableCause } from './connect/follow-execution.ts'
import { argument, type Call, type Command, option } from './shell/command.ts'
import { printableJson } from './shell/printable.ts'
import { exitCodes } from './shell/say-error.ts'
import { pathIn, type Shell, sayIn } from './shell/shell.ts'

/** `millrace execute`: runs a state machine by its construct name and follows it to its end. */
export const execute: Command = {
  description: 'start a state machine, follow it, and print its output as JSON',
  args: [
    argument('<machine>', 'construct name, such as import, export or extract'),
    argument('<input>', 'JSON text, a file that holds it, or - for standard input'),
  ],
  options: [option('--stack <name>', 'run it in the account, in this CloudFormation stack')],
  run: (call: Call<{ stack?: string }>, machine: string, input: string) => run(call, machine, input),
}

const run = async (
  { flags, shell }: Call<{ stack?: string }>,
  machine: string,
  given: string,
): Promise<number> => {
  const say = sayIn(shell)
  const input = await readInput(given, shell)
  const { client, outputs } = await connectMachines(flags.stack, shell)
  try {
    const { StartExecutionCommand } = await import('@aws-sdk/client-sfn')
    const stateMachineArn = arnOf(outputs, machine)
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, input }))
    if (executionArn === undefined) throw new Error('Step Functions gave no execution')
    say(executionArn)
    const start = performance.now()
    const onStep = (name: string) =>
      say(`${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s  ${name}`)
    const { status, output, error, cause } = await followExecution(client, executionArn, { onStep })
    if (status === 'SUCCEEDED') {
      shell.stdout.write(`${printableJson(JSON.parse(output ?? 'null'))}\n`)
      return exitCodes.success
    }
    say([status, error, readableCause(cause)].filter(Boolean).join(': '))
    return exitCodes.userError
  } finally {
    client.destroy()
  }
}

const arnOf = (outputs: Readonly<Record<string, string>>, machine: string): string => {
  try {
    return machineArnFrom(outputs, machine)
  } catch (cause) {
    throw new UserError('cli.notFound', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** The input itself when it is JSON text; otherwise the content of a file, or of standard input. */
const readInput = async (given: string, shell: Shell): Promise<string> => {
  if (/^\s*[[{"]/.test(given)) return checkJson(given, 'The input')
  if (given === '-') return checkJson(await text(shell.stdin), 'Standard input')
  return checkJson(await readFile(pathIn(shell, given), 'utf8'), given)
}

/** The text of an input. In the dead letter of an execution that was stopped, the input is a text that holds it. */
const checkJson = (text: string, what: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? checkJson(value, what) : text
  } catch (error) {
    throw new UserError('cli.usage', `${what} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
