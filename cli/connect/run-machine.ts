import { randomUUID } from 'node:crypto'
import { executionArnOf } from '../../functions/lib/cloud/machines.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { describeFailure } from '../../functions/lib/errors/machine-failure.ts'
import { machineArnFrom } from '../../local/runtime/machine-output.ts'
import { type Shell, sayIn } from '../shell/shell.ts'
import { followExecution } from './follow-execution.ts'
import { findMachines } from './installation.ts'

/**
 * Runs a state machine, of the stack or of the embedded cloud that runs here, to its end. Resolves to its output, or to `undefined` when
 * it failed, which it says.
 */
export const runMachine = async (
  { stack, machine, input }: { stack: string | undefined; machine: string; input: unknown },
  shell: Shell,
): Promise<{ output: unknown } | undefined> => {
  const say = sayIn(shell)
  const { outputs, machines: open } = await findMachines(stack, shell)
  const machines = await open()
  const execution = { machineArn: arnOf(outputs, machine), name: randomUUID() }
  await machines.start({ ...execution, input })
  const executionArn = executionArnOf(execution)
  say(executionArn)
  const { status, output, error, cause } = await followExecution(machines, executionArn)
  if (status === 'SUCCEEDED') return { output: JSON.parse(output ?? 'null') }
  const { message } = describeFailure({ Cause: cause })
  say([status, error, message].filter(Boolean).join(': '))
  return undefined
}

const arnOf = (outputs: Readonly<Record<string, string>>, machine: string): string => {
  try {
    return machineArnFrom(outputs, machine)
  } catch (cause) {
    throw new UserError('cli.notFound', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
