import { readFile } from 'node:fs/promises'
import type { SFNClient } from '@aws-sdk/client-sfn'
import type { Command } from 'commander'
import { machineArnFrom } from '../local/runtime/machine-output.ts'
import { readSettings } from './settings.ts'

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
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
        process.exitCode = 1
      }
    })
}

/** Exit code: 0 when the execution succeeded. */
const execute = async (machine: string, given: string, stack: string | undefined): Promise<number> => {
  const input = await readInput(given)
  const { client, outputs } = await (stack === undefined ? connectLocally() : connectToAccount(stack))
  try {
    const { StartExecutionCommand } = await import('@aws-sdk/client-sfn')
    const stateMachineArn = machineArnFrom(outputs, machine)
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, input }))
    if (executionArn === undefined) throw new Error('Step Functions gave no execution')
    process.stderr.write(`${executionArn}\n`)
    const { status, output, error, cause } = await follow(client, executionArn)
    if (status === 'SUCCEEDED') {
      process.stdout.write(`${JSON.stringify(JSON.parse(output ?? 'null'), null, 2)}\n`)
      return 0
    }
    process.stderr.write(`${[status, error, readable(cause)].filter(Boolean).join(': ')}\n`)
    return 1
  } finally {
    client.destroy()
  }
}

/** The input itself when it is JSON text; otherwise the content of a file, or of standard input. */
const readInput = async (given: string): Promise<string> => {
  if (/^\s*[[{"]/.test(given)) return checkJson(given, 'The input')
  if (given !== '-') return checkJson(await readFile(given, 'utf8'), given)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return checkJson(Buffer.concat(chunks).toString('utf8'), 'Standard input')
}

const checkJson = (text: string, what: string): string => {
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    throw new Error(`${what} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

interface Connection {
  readonly client: SFNClient
  readonly outputs: Readonly<Record<string, string>>
}

const connectLocally = async (): Promise<Connection> => {
  const { findRunningCloud } = await import('../local/runtime/running-cloud.ts')
  const { SFNClient } = await import('@aws-sdk/client-sfn')
  const { MILLRACE_DATA_DIR } = readSettings(process.env)
  const cloud = await findRunningCloud(MILLRACE_DATA_DIR)
  if (!cloud)
    throw new Error(
      `No embedded cloud runs on ${MILLRACE_DATA_DIR}. Start it with npm start, name its folder in MILLRACE_DATA_DIR, or use --stack.`,
    )
  const { control, region, accessKeyId, secretAccessKey, outputs } = cloud
  return {
    client: new SFNClient({ endpoint: control, region, credentials: { accessKeyId, secretAccessKey } }),
    outputs,
  }
}

const connectToAccount = async (stackName: string): Promise<Connection> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation')
  const { SFNClient } = await import('@aws-sdk/client-sfn')
  const { Stacks = [] } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: stackName }),
  )
  const outputs = (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
    OutputKey,
    OutputValue,
  ])
  return { client: new SFNClient({}), outputs: Object.fromEntries(outputs) }
}

const firstLookMs = 100
const longestPauseMs = 5_000

/** Polls often at first, then less and less: some executions take hours. */
const follow = async (client: SFNClient, executionArn: string) => {
  const { DescribeExecutionCommand } = await import('@aws-sdk/client-sfn')
  for (let pause = firstLookMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
    const described = await client.send(new DescribeExecutionCommand({ executionArn }))
    if (described.status !== 'RUNNING') return described
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

/** The cause of a failed function is a JSON report; its message is what a person wants to read. */
const readable = (cause: string | undefined): string | undefined => {
  try {
    const report: unknown = JSON.parse(cause ?? '')
    if (typeof report === 'object' && report !== null && 'errorMessage' in report)
      return String(report.errorMessage)
  } catch {
    // Plain text.
  }
  return cause
}
