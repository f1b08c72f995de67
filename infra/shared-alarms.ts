import { Duration, type Stack } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { OperatorAlarm } from './operator-alarm.ts'
import { ownMetric } from './own-metric.ts'
import { ScheduledFunction, scheduleGroup } from './scheduled-function.ts'
import type { StackConfig } from './stack-config.ts'

/** Alarms on what all clocks and jobs of a stack have in common. Made when all of them are there. */
export const addSharedAlarms = (stack: Stack, shape: StackConfig['shape'], topic: ITopic): void => {
  alarmOnFailingSchedules(stack, topic)
  if (shape !== 'functions') alarmOnWaitingJobs(stack, topic)
}

const FIVE_MINUTES = Duration.minutes(5)
/** What passes by itself within a quarter of an hour needs nobody. */
const PERIODS = 3

/** Nobody waits for what schedules call: without this alarm it could fail for ever in silence. */
const alarmOnFailingSchedules = (stack: Stack, alarms: ITopic): void => {
  const clocks = stack.node.findAll().filter(part => part instanceof ScheduledFunction)
  const metrics = {
    failed: ofSchedules(stack, 'TargetErrorCount'),
    dropped: ofSchedules(stack, 'InvocationDroppedCount'),
    ...Object.fromEntries(clocks.map((clock, at) => [`errors${at}`, clock.metricErrors()])),
  }
  new OperatorAlarm(stack, 'SchedulesFailing', {
    alarms,
    metric: new MathExpression({
      label: 'calls of schedules that failed or were given up',
      expression: Object.keys(metrics)
        .map(id => `FILL(${id}, 0)`)
        .join(' + '),
      usingMetrics: metrics,
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    periods: PERIODS,
    means:
      'For a quarter of an hour, what schedules of the stack call has failed or could not be called. Jobs, triggers or schedules of ' +
      'configurations may start late.',
    toDo:
      'The dashboard shows which function has errors, and its log says why. When none has, look at the roles of the schedules in ' +
      'EventBridge Scheduler: a policy of the organisation or a boundary may forbid what they do.',
  })
}

const ofSchedules = (stack: Stack, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/Scheduler',
    metricName,
    dimensionsMap: { ScheduleGroup: scheduleGroup(stack) },
    statistic: 'Sum',
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
      'runs, see in the dashboard whether functions are throttled, and ask for a higher quota ("Concurrent executions" of Lambda).',
  })
