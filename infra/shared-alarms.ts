import { Duration, Stack } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { ItemTable } from './item-table.ts'
import type { NodeFunction } from './node-function.ts'
import { OperatorAlarm } from './operator-alarm.ts'
import { ownMetric } from './own-metric.ts'
import { scheduleGroup } from './scheduled-function.ts'
import type { StackConfig } from './stack-config.ts'
import { partsOf } from './stack-parts.ts'

/** Alarms on what all functions, tables and jobs of a stack have in common. Made when all of them are there. */
export const addSharedAlarms = (stack: Stack, shape: StackConfig['shape'], topic: ITopic): void => {
  const { functions, tables, alarms, hasJobs } = partsOf(stack, shape)
  const watched = new Set(alarms.map(({ watches }) => watches))
  for (const runs of functions) if (!watched.has(runs)) alarmOnErrorRate(runs, topic)
  for (const table of tables) alarmOnThrottledItems(table, topic)
  alarmOnThrottledFunctions(stack, topic)
  alarmOnThrottledMachines(stack, topic)
  alarmOnFailingSchedules(stack, topic)
  if (hasJobs) alarmOnWaitingJobs(stack, topic)
}

/** Where the part is, so that names of alarms begin like the names of what they are about. */
const besides = (part: Construct): Construct => part.node.scope ?? Stack.of(part)

/** A few errors are tried again and forgotten. */
const MANY_ERRORS = 10
const PERCENT = 10

const alarmOnErrorRate = (runs: NodeFunction<string>, alarms: ITopic): void =>
  void new OperatorAlarm(besides(runs), `${runs.node.id}Errors`, {
    alarms,
    watches: runs,
    metric: new MathExpression({
      label: 'percent of invocations that failed',
      expression: `IF(errors >= ${MANY_ERRORS}, 100 * errors / invocations, 0)`,
      usingMetrics: { errors: runs.metricErrors(), invocations: runs.metricInvocations() },
      period: Duration.minutes(15),
    }),
    threshold: PERCENT,
    means: `Ten or more invocations of ${runs.functionName}, and at least a tenth of all, failed within a quarter of an hour.`,
    toDo:
      'Its log says why, with the correlationId of the work. State machines try again what failed; what they give up becomes a ' +
      'dead letter.',
  })

const MANY_REFUSALS = 10
const FIVE_MINUTES = Duration.minutes(5)
/** What passes by itself within a quarter of an hour needs nobody. */
const PERIODS = 3

const alarmOnThrottledFunctions = (stack: Stack, alarms: ITopic): void =>
  void new OperatorAlarm(stack, 'FunctionsThrottled', {
    alarms,
    // Of all functions: they share the limit, so the one that is refused is seldom the one that takes too much.
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: 'Sum',
      period: FIVE_MINUTES,
    }),
    threshold: MANY_REFUSALS,
    periods: PERIODS,
    means:
      'For a quarter of an hour, more functions were asked for than this account may run at a time. What was refused is tried again.',
    toDo:
      'The dashboard shows which functions run most. Ask for a higher quota ("Concurrent executions" of Lambda), or let less be done side ' +
      'by side (stagedRanges, exportedParts).',
  })

const alarmOnThrottledMachines = (stack: Stack, alarms: ITopic): void =>
  void new OperatorAlarm(stack, 'MachinesThrottled', {
    alarms,
    // Of all machines, as above.
    metric: new Metric({
      namespace: 'AWS/States',
      metricName: 'ThrottledEvents',
      dimensionsMap: { ServiceMetric: 'StateTransition' },
      statistic: 'Sum',
      period: FIVE_MINUTES,
    }),
    threshold: MANY_REFUSALS,
    periods: PERIODS,
    means:
      'For a quarter of an hour, state machines wanted to take more steps than this account may. They take them later: work is slow, and nothing is lost.',
    toDo:
      'The dashboard shows which machines were started most. Ask for a higher quota ("StateTransition throttle token refill rate" of Step ' +
      'Functions), or let fewer and larger files land.',
  })

const alarmOnFailingSchedules = (stack: Stack, alarms: ITopic): void =>
  void new OperatorAlarm(stack, 'SchedulesFailing', {
    alarms,
    metric: new MathExpression({
      label: 'calls of schedules that failed or were given up',
      expression: 'FILL(failed, 0) + FILL(dropped, 0)',
      usingMetrics: {
        failed: ofSchedules(stack, 'TargetErrorCount'),
        dropped: ofSchedules(stack, 'InvocationDroppedCount'),
      },
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    periods: PERIODS,
    means: 'For a quarter of an hour, schedules of the stack could not call what they are for.',
    toDo:
      'The alarms "Still" say which clock has stopped. Look at the roles of the schedules in EventBridge Scheduler: a policy of the ' +
      'organisation or a boundary may forbid what they do.',
  })

const ofSchedules = (stack: Stack, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/Scheduler',
    metricName,
    dimensionsMap: { ScheduleGroup: scheduleGroup(stack) },
    statistic: 'Sum',
  })

const alarmOnThrottledItems = (table: ItemTable, alarms: ITopic): void =>
  void new OperatorAlarm(besides(table), `${table.node.id}Throttled`, {
    alarms,
    metric: new MathExpression({
      label: 'requests that were refused',
      expression: 'FILL(readings, 0) + FILL(writings, 0)',
      usingMetrics: {
        readings: table.metric('ReadThrottleEvents', { statistic: 'Sum' }),
        writings: table.metric('WriteThrottleEvents', { statistic: 'Sum' }),
      },
      period: FIVE_MINUTES,
    }),
    threshold: MANY_REFUSALS,
    periods: PERIODS,
    means: `For a quarter of an hour, DynamoDB refused requests to ${table.tableName}. They are tried again: work is slow, and nothing is lost.`,
    toDo:
      'A table grows with its load within minutes. If it lasts, the access log of the API shows the client that asks most: let it ask less ' +
      'often.',
  })

const LONG_WAIT_SECONDS = 3600

const alarmOnWaitingJobs = (stack: Stack, alarms: ITopic): void =>
  void new OperatorAlarm(stack, 'JobsWaitLong', {
    alarms,
    metric: ownMetric(stack, 'OldestWaitingSeconds', 'jobs', 'Maximum'),
    threshold: LONG_WAIT_SECONDS,
    means: 'A job of the storage service has waited for an hour or more.',
    toDo:
      '"npx millrace jobs" shows which, and what runs: jobs of one table wait for each other, so a long one holds up the rest. When none ' +
      'runs, look at the alarms on throttling and on OpenJobs.',
  })
