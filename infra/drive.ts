import { Aws } from 'aws-cdk-lib'
import { DefinitionBody, LogLevel, type LogOptions, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { allowApart } from './allow-apart.ts'
import { type DriveProps, definitionOf } from './drive-definition.ts'
import { KeptLogs } from './kept-logs.ts'
import { childrenOf } from './machine-identity.ts'
import { ServiceRole } from './node-function.ts'
import { once } from './once.ts'
import { machines } from './system.ts'

/**
 * The one shape of our machines: call the step; its answer says what follows. `again` waits and calls it again, `poll` waits
 * for a job first, `each` does parts side by side first, `done` and `failed` end the execution. What fails for good calls
 * the step once more with the failure, and the answer counts like any other. Only when this call fails too, the execution
 * fails with what failed first.
 */
export const drive = (scope: Construct, props: DriveProps): StateMachine => {
  const { name, machineName, step, pollJob } = props
  const machine = new StateMachine(scope, 'Machine', {
    role: new ServiceRole(scope, 'MachineRole', 'states.amazonaws.com'),
    logs: machineLogs(scope),
    ...(machineName !== undefined && { stateMachineName: machineName }),
    definitionBody: DefinitionBody.fromString(JSON.stringify(definitionOf(props))),
  })
  for (const called of [step, pollJob]) called?.grantInvoke(machine)
  if (machines[name].isLong) allowChildren(scope, machine)
  return machine
}

/** Of a distributed Map (Developer Guide, "IAM policies for using Distributed Map states"). */
const allowChildren = (scope: Construct, { stateMachineName, stateMachineArn, role }: StateMachine): void =>
  allowApart(scope, 'DistributedMapPolicy', role, [
    { actions: ['states:StartExecution'], resources: [stateMachineArn] },
    {
      actions: ['states:DescribeExecution', 'states:StopExecution', 'states:RedriveExecution'],
      resources: [childrenOf(stateMachineName)],
    },
  ])

/**
 * Every step of every execution, without what passes between the steps: an input may hold what only the owner of the
 * data should read. The only trace of an execution that was stopped. Each line names its execution, and so its machine.
 *
 * The prefix keeps the account's resource policy for logs short (Step Functions Developer Guide, "Logging using CloudWatch
 * Logs").
 */
const machineLogs = (part: Construct): LogOptions => ({
  destination: once(
    part,
    'MachineLogs',
    (stack, id) => new KeptLogs(stack, id, { logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}` }),
  ),
  level: LogLevel.ALL,
  includeExecutionData: false,
})
