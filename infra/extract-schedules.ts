import type { IRole } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { allow } from './allow.ts'
import { afterItsRights, scheduleGroup, schedulerRole } from './scheduled-function.ts'
import type { ExtractSchedule } from './stack-config.ts'

interface ExtractSchedulesProps {
  readonly machine: StateMachine
  /** Receives the input of a schedule that could not be delivered for a day. */
  readonly undelivered: IQueue
  readonly schedules: readonly ExtractSchedule[]
}

/**
 * Schedules of the stack: EventBridge schedules that start the extract machine. Schedules inside configurations are looked up by
 * `tick`, so nobody who writes a configuration needs rights to make schedules or pass roles.
 */
export const extractSchedules = (
  parent: Construct,
  { machine, undelivered, schedules }: ExtractSchedulesProps,
): void => {
  if (schedules.length === 0) return
  const scope = new Construct(parent, 'ExtractSchedules')
  const role = schedulerRole(scope, 'Role')
  allow(role, ['states:StartExecution'], [machine.stateMachineArn])
  allow(role, ['sqs:SendMessage'], [undelivered.queueArn])
  for (const schedule of schedules) stackSchedule(scope, schedule, { role, machine, undelivered })
}

const stackSchedule = (
  scope: Construct,
  schedule: ExtractSchedule,
  { role, machine, undelivered }: { role: IRole; machine: StateMachine; undelivered: IQueue },
) => {
  const { name, expression, timezone, flexibleMinutes, isEnabled, componentId, configId, overlap } = schedule
  afterItsRights(
    role,
    new CfnSchedule(scope, `Schedule-${name}`, {
      description: `Runs ${componentId}/${configId}`,
      groupName: scheduleGroup(scope),
      scheduleExpression: expression,
      scheduleExpressionTimezone: timezone,
      state: isEnabled ? 'ENABLED' : 'DISABLED',
      flexibleTimeWindow:
        flexibleMinutes === 0
          ? { mode: 'OFF' }
          : { mode: 'FLEXIBLE', maximumWindowInMinutes: flexibleMinutes },
      target: {
        arn: machine.stateMachineArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ componentId, configId, overlap, trigger: `schedule ${name}` }),
        deadLetterConfig: { arn: undelivered.queueArn },
      },
    }),
  )
}
