import { CfnResource } from 'aws-cdk-lib'
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'
import { NodeFunction, type NodeFunctionProps } from './node-function.ts'

interface ScheduledFunctionProps<EnvName extends string> extends NodeFunctionProps<EnvName> {
  readonly schedules: readonly FunctionSchedule[]
}

interface FunctionSchedule {
  /** Its construct id. */
  readonly name: string
  readonly expression: string
  /** Default: an empty event. */
  readonly input?: string
  /** Whether Scheduler sends an event again that Lambda did not take. Otherwise the next one makes up for it. */
  readonly isRetried: boolean
}

/** A function that schedules call, each with an event of its own. */
export class ScheduledFunction<EnvName extends string> extends NodeFunction<EnvName> {
  constructor(scope: Construct, id: string, { schedules, ...props }: ScheduledFunctionProps<EnvName>) {
    super(scope, id, props)
    const role = schedulerRole(scope, 'ScheduleRole')
    allow(role, ['lambda:InvokeFunction'], [this.functionArn])
    for (const { name, expression, input, isRetried } of schedules)
      afterItsRights(
        role,
        new CfnSchedule(scope, name, {
          scheduleExpression: expression,
          flexibleTimeWindow: { mode: 'OFF' },
          target: {
            arn: this.functionArn,
            roleArn: role.roleArn,
            ...(input !== undefined && { input }),
            ...(!isRetried && { retryPolicy: { maximumRetryAttempts: 0 } }),
          },
        }),
      )
  }
}

/** The schedule of a function that looks for work each minute: an event that is lost is made up for by the next one. */
export const everyMinute = (input?: string): FunctionSchedule => ({
  name: 'EveryMinute',
  expression: 'rate(1 minute)',
  ...(input !== undefined && { input }),
  isRetried: false,
})

export const schedulerRole = (scope: Construct, id: string): IRole =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
  })

/** Creating a schedule fails unless its role can be assumed already. Its policy should exist by then, too. */
export const afterItsRights = (role: IRole, schedule: CfnSchedule): void => {
  const policy = role.node.tryFindChild('DefaultPolicy')?.node.defaultChild
  if (policy instanceof CfnResource) schedule.addResourceDependency(policy)
}
