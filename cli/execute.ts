import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { UserError } from '../functions/lib/errors/errors.ts'
import { machineArnFrom } from '../local/runtime/machine-output.ts'
import { connectMachines } from './connect-machines.ts'
import { followExecution, readableCause } from './follow-execution.ts'
import { sayError } from './output/say-error.ts'

/** `millrace execute`: runs a state machine by its construct name and follows it to its end. */
export const registerExecute = (program: Command): void => {
  program
    .command('execute')
    .description('start a state machine, follow it, and print its output as JSON')
    .argument('<machine>', 'construct name, such as import, export or extract')
    .argument('<input>', 'JSON text, a file that holds it, or - for standard input')
    .option('--stack <name>', 'run it in the account, in this CloudFormation stack')
    .action(async (machine: string, input: string, options: { stack?: string }) => {
      try {
        process.exitCode = await execute(machine, input, options.stack)
      } catch (error) {
        process.exitCode = sayError(error)
      }
    })
}

const log = (line: string): void => void process.stderr.write(`${line}\n`)

/** Exit code: 0 when the execution succeeded. */
const execute = async (machine: string, given: string, stack: string | undefined): Promise<number> => {
  const input = await readInput(given)
  const { client, outputs } = await connectMachines(stack)
  try {
    const { StartExecutionCommand } = await import('@aws-sdk/client-sfn')
    const stateMachineArn = arnOf(outputs, machine)
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, input }))
    if (executionArn === undefined) throw new Error('Step Functions gave no execution')
    log(executionArn)
    const start = performance.now()
    const onStep = (name: string) =>
      log(`${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s  ${name}`)
    const { status, output, error, cause } = await followExecution(client, executionArn, { onStep })
    if (status === 'SUCCEEDED') {
      process.stdout.write(`${JSON.stringify(JSON.parse(output ?? 'null'), null, 2)}\n`)
      return 0
    }
    log([status, error, readableCause(cause)].filter(Boolean).join(': '))
    return 1
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
const readInput = async (given: string): Promise<string> => {
  if (/^\s*[[{"]/.test(given)) return checkJson(given, 'The input')
  if (given === '-') return checkJson(await text(process.stdin), 'Standard input')
  return checkJson(await readFile(given, 'utf8'), given)
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
