import { join } from 'node:path'
import { Duration, Stack } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { MetricName } from '../functions/lib/cloud/metric-units.ts'
import { NONE } from '../functions/lib/none.ts'
import { documentPrefix } from '../functions/lib/storage/db/document-prefix.ts'
import { SCHEDULES_FILE } from '../functions/tick/schedules-file.ts'
import type { TickEnv } from '../functions/tick/work.ts'
import {
  allow,
  allowItems,
  allowPuttingObjects,
  allowReadingObjects,
  allowReadingSecret,
  ITEM_ACTIONS,
} from './allow.ts'
import { type FunctionBundle, withFile } from './bundle.ts'
import type { ItemTable } from './item-table.ts'
import { executionsOf } from './machine-identity.ts'
import { OperatorAlarm } from './operator-alarm.ts'
import { projectRoot } from './project-root.ts'
import { runnableComponents } from './runnable-components.ts'
import { ScheduledFunction } from './scheduled-function.ts'
import type { ExtractSchedule } from './stack-config.ts'
import type { StorageEndpoint } from './storage-endpoint.ts'
import type { MachineName } from './system.ts'
import { writtenKinds } from './written-kinds.ts'

interface TickProps {
  readonly bundle: FunctionBundle
  /** Of the stack. */
  readonly schedules: readonly ExtractSchedule[]
  readonly storage: StorageEndpoint
  /** Set when the service is in the same stack. */
  readonly service: { readonly items: ItemTable; readonly tablesBucket: IBucket } | undefined
  /** Those of the stack. */
  readonly machines: Partial<Record<MachineName, StateMachine>> & { readonly extract: StateMachine }
  /** Receives ends of executions that could not be told for a day. */
  readonly undelivered: IQueue
  readonly alarms: ITopic
}

/**
 * Each minute: jobs that were accepted and not started, triggers whose tables were imported, schedules that are due. And each
 * execution that failed: its dead letter (docs/operations.md#dead-letters), and the alarm of it.
 */
export class Tick extends Construct {
  constructor(scope: Construct, id: string, props: TickProps) {
    super(scope, id)
    const { bundle, storage, service, machines, undelivered } = props
    const { jobs, extract } = machines
    const tick = new ScheduledFunction<TickEnv>(this, 'Function', {
      bundle: withFile(bundle, SCHEDULES_FILE, JSON.stringify(props.schedules)),
      description: 'Starts what is due and what was left, and keeps what failed',
      deadLetterQueue: undelivered,
      environment: {
        STORAGE_TABLE: service?.items.tableName ?? NONE,
        TABLES_BUCKET: service?.tablesBucket.bucketName ?? NONE,
        JOB_MACHINE_ARN: jobs?.stateMachineArn ?? NONE,
        EXTRACT_MACHINE_ARN: extract.stateMachineArn,
        MACHINES: Stack.of(this).toJsonString(arnsOf(machines)),
        STORAGE_URL: storage.url,
        STORAGE_TOKEN_SECRET_ARN: storage.tokenSecret.secretArn,
        RUNNABLE_COMPONENTS: JSON.stringify(
          runnableComponents(join(projectRoot, 'functions/storage-api/components')),
        ),
      },
    })
    allowReadingSecret(tick, storage.tokenSecret)
    if (service) {
      allowItems(tick, service.items, ITEM_ACTIONS, writtenKinds.tick)
      // Configurations that are too large for an item. Reading one finishes what a writer that died has begun.
      allowReadingObjects(tick, service.tablesBucket)
      allowPuttingObjects(tick, service.tablesBucket, { prefix: documentPrefix })
    }
    const started = [jobs, extract].flatMap(machine => machine?.stateMachineArn ?? [])
    allow(tick, ['states:StartExecution'], started)
    allow(
      tick,
      ['states:DescribeExecution'],
      Object.values(machines).map(({ stateMachineName }) => executionsOf(stateMachineName)),
    )
    tellEnds(this, props, tick)
    alarmOnFailures(this, props)
  }
}

const arnsOf = (machines: TickProps['machines']): Record<string, string> =>
  Object.fromEntries(Object.entries(machines).map(([name, { stateMachineArn }]) => [name, stateMachineArn]))

/**
 * Every execution that did not succeed, and those whose success removes what failed before: of an import its output says that
 * something may have.
 */
const tellEnds = (scope: Construct, { machines, service, undelivered }: TickProps, tick: IFunction): void =>
  void new Rule(scope, 'Ends', {
    description: 'Keeps what failed until it is mended',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        $or: [
          { stateMachineArn: Object.values(arnsOf(machines)), status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
          ...(service
            ? [
                ...succeeding(machines.extract),
                ...succeeding(machines.export),
                ...succeeding(machines.import, { output: [{ wildcard: '*"mends"*' }] }),
              ]
            : []),
        ],
      },
    },
    targets: [new LambdaFunction(tick, { deadLetterQueue: undelivered })],
  })

const succeeding = (machine: StateMachine | undefined, more: object = {}): object[] =>
  machine ? [{ stateMachineArn: [machine.stateMachineArn], status: ['SUCCEEDED'], ...more }] : []

const MEANS: Readonly<Record<MachineName, string>> = {
  import: 'A file in the landing bucket could not be imported. It is still there.',
  export: 'A table or file could not be exported as one object. Its destination is as it was before.',
  extract: 'An extraction failed or could not be started.',
  jobs: 'A job of the storage service failed for a reason that is not its user’s. It is closed with an exceptionId.',
}

const alarmOnFailures = (scope: Construct, { machines, service, alarms }: TickProps): void => {
  for (const machine of Object.keys(machines) as MachineName[]) // Of an object that has no other keys.
    new OperatorAlarm(scope, `Failed-${machine}`, {
      alarms,
      metric: new Metric({
        namespace: Stack.of(scope).stackName,
        metricName: 'ExecutionsFailed' satisfies MetricName,
        dimensionsMap: { service: 'tick', machine },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      threshold: 1,
      means: MEANS[machine],
      toDo: service
        ? '"npx millrace letters" shows why. Correct the cause, then "npx millrace letters redrive".'
        : 'The failed execution in Step Functions says why in its cause. Correct it, then start the machine with the same input: "npx millrace execute".',
    })
}
