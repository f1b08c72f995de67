import { Aws } from 'aws-cdk-lib'
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'
import { NodeFunction, type NodeFunctionProps, ServiceRole } from './node-function.ts'
import { once } from './once.ts'
import { clocks } from './system.ts'

/** A function that the clocks of system.ts call, each with an event of its own. */
export class ScheduledFunction<EnvName extends string> extends NodeFunction<EnvName> {
  constructor(scope: Construct, id: string, props: NodeFunctionProps<EnvName>) {
    super(scope, id, props)
    const role = schedulerRole(this)
    allow(role, ['lambda:InvokeFunction'], [this.functionArn])
    for (const { expression, input } of clocks.filter(({ calls }) => calls === props.bundle.name))
      new CfnSchedule(scope, `Every-${input?.['kind'] ?? 'minute'}`, {
        groupName: scheduleGroup(this),
        scheduleExpression: expression,
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: this.functionArn,
          roleArn: role.roleArn,
          ...(input !== undefined && { input: JSON.stringify(input) }),
        },
      })
  }
}

/** The name of the group of all schedules of the stack: Scheduler counts what fails by group only. */
export const scheduleGroup = (part: Construct): string =>
  once(part, 'Schedules', (stack, id) => new CfnScheduleGroup(stack, id, { name: Aws.STACK_NAME })).ref

const schedulerRole = (part: Construct): ServiceRole =>
  once(part, 'SchedulerRole', (stack, id) => new ServiceRole(stack, id, 'scheduler.amazonaws.com'))
