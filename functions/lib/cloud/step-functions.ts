import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SFNClient,
  type SFNClientConfig,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import { host } from './host.ts'
import { executionArnOf, type Machines, unlessNamed } from './machines.ts'

type Operations<Name extends keyof Machines> = { [Each in Name]: (client: SFNClient) => Machines[Each] }

/** Only the operations that a function names are in its bundle: its role has no rights for others. */
export const openMachines = <Name extends keyof Machines>(
  operations: Operations<Name>,
): Pick<Machines, Name> => host().machines ?? stepFunctions(operations)

/** @param settings of the SDK's client; default: those of the environment */
export const stepFunctions = <Name extends keyof Machines>(
  operations: Operations<Name>,
  settings: SFNClientConfig = {},
): Pick<Machines, Name> => {
  const client = new SFNClient(settings)
  const named = Object.entries(operations) as [Name, (client: SFNClient) => Machines[Name]][]
  return Object.fromEntries(named.map(([name, on]) => [name, on(client)])) as Pick<Machines, Name>
}

export const startExecution =
  (client: SFNClient): Machines['start'] =>
  async ({ machineArn, name, input }) => {
    const text = JSON.stringify(input)
    const command = new StartExecutionCommand({ stateMachineArn: machineArn, name, input: text })
    return (await client.send(command).catch(unlessNamed('ExecutionAlreadyExists'))) !== undefined
  }

export const describeExecution =
  (client: SFNClient): Machines['describe'] =>
  execution =>
    client
      .send(new DescribeExecutionCommand({ executionArn: executionArnOf(execution) }))
      .catch(unlessNamed('ExecutionDoesNotExist', 'InvalidArn'))

export const stopExecution =
  (client: SFNClient): Machines['stop'] =>
  async (execution, { code, message }) => {
    const executionArn = executionArnOf(execution)
    await client
      .send(new StopExecutionCommand({ executionArn, error: code, cause: message }))
      .catch(unlessNamed('ExecutionDoesNotExist'))
  }

export const listExecutions =
  (client: SFNClient): Machines['list'] =>
  async (stateMachineArn, nextToken) => {
    const command = new ListExecutionsCommand({ stateMachineArn, nextToken, maxResults: 1000 })
    const { executions = [], nextToken: next } = await client.send(command)
    return {
      executions: executions.map(({ executionArn = '', startDate = new Date(0) }) => ({
        executionArn,
        startDate,
      })),
      next,
    }
  }
