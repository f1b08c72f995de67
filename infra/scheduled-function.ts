import { Aws, CfnResource, Stack } from 'aws-cdk-lib'
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'
import { NodeFunction, type NodeFunctionProps } from './node-function.ts'
import { clocks } from './system.ts'

/** A function that the clocks of system.ts call, each with an event of its own. */
export class ScheduledFunction<EnvName extends string> extends NodeFunction<EnvName> {
  constructor(scope: Construct, id: string, props: NodeFunctionProps<EnvName>) {
    super(scope, id, props)
    const role = new Role(scope, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    })
    allow(role, ['lambda:InvokeFunction'], [this.functionArn])
    for (const { expression, input } of clocks.filter(({ calls }) => calls === props.bundle.name))
      afterItsRights(
        role,
        new CfnSchedule(scope, `Every-${input?.['kind'] ?? 'minute'}`, {
          groupName: scheduleGroup(this),
          scheduleExpression: expression,
          flexibleTimeWindow: { mode: 'OFF' },
          target: {
            arn: this.functionArn,
            roleArn: role.roleArn,
            ...(input !== undefined && { input: JSON.stringify(input) }),
          },
        }),
      )
  }
}

/** The name of the group of all schedules of the stack: Scheduler counts what fails by group only. */
export const scheduleGroup = (part: Construct): string => {
  const stack = Stack.of(part)
  const found = stack.node.tryFindChild(SCHEDULES)
  return (
    found instanceof CfnScheduleGroup
      ? found
      : new CfnScheduleGroup(stack, SCHEDULES, { name: Aws.STACK_NAME })
  ).ref
}
const SCHEDULES = 'Schedules'

/** Creating a schedule fails unless its role can be assumed already. Its policy should exist by then, too. */
const afterItsRights = (role: IRole, schedule: CfnSchedule): void => {
  const policy = role.node.tryFindChild('DefaultPolicy')?.node.defaultChild
  if (policy instanceof CfnResource) schedule.addResourceDependency(policy)
}
