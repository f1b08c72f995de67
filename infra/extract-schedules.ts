import type { IRole } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { StartScheduledRunsEnv } from '../functions/start-scheduled-runs/work.ts'
import { allow, allowReadingSecret } from './allow.ts'
import type { FunctionBundle } from './bundle.ts'
import { afterItsRights, ScheduledFunction, scheduleGroup, schedulerRole } from './scheduled-function.ts'
import type { ExtractSchedule } from './stack-config.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'

interface ExtractSchedulesProps {
  readonly bundle: FunctionBundle
  readonly storage: StorageEndpoint
  readonly machine: StateMachine
  /** Receives the input of a schedule that could not be delivered for a day. */
  readonly deadLetters: IQueue
  readonly schedules: readonly ExtractSchedule[]
  /** Components whose configurations may have a `schedule` of their own. Empty: none. */
  readonly components: readonly string[]
}

/**
 * When configurations run by themselves.
 *
 * Schedules of the stack become EventBridge schedules that start the extract machine. Schedules inside configurations are
 * looked up each minute by a function. So nobody who writes a configuration needs rights to make schedules or pass roles,
 * and a hosted storage service works too.
 */
export class ExtractSchedules extends Construct {
  constructor(scope: Construct, id: string, props: ExtractSchedulesProps) {
    super(scope, id)
    const { machine, deadLetters, schedules, components } = props
    if (schedules.length > 0) {
      const role = schedulerRole(this, 'Role')
      allow(role, ['states:StartExecution'], [machine.stateMachineArn])
      allow(role, ['sqs:SendMessage'], [deadLetters.queueArn])
      for (const schedule of schedules) stackSchedule(this, schedule, { role, machine, deadLetters })
    }
    if (components.length > 0) startScheduledRuns(this, props)
  }
}

const stackSchedule = (
  scope: Construct,
  schedule: ExtractSchedule,
  { role, machine, deadLetters }: { role: IRole; machine: StateMachine; deadLetters: IQueue },
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
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    }),
  )
}

const startScheduledRuns = (
  scope: Construct,
  { bundle, storage, machine, components }: ExtractSchedulesProps,
) => {
  const start = new ScheduledFunction<StartScheduledRunsEnv>(scope, 'StartScheduledRuns', {
    bundle,
    description: 'Starts the configurations whose own schedule has become due',
    environment: {
      STORAGE_URL: storage.url,
      STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn,
      EXTRACT_MACHINE_ARN: machine.stateMachineArn,
      COMPONENTS: JSON.stringify(components),
    },
  })
  allowReadingSecret(start, storage.tokenSecret)
  allow(start, ['states:StartExecution'], [machine.stateMachineArn])
}
