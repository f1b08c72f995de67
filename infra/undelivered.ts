import { Duration } from 'aws-cdk-lib'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { OperatorAlarm } from './operator-alarm.ts'

/** The longest that SQS keeps a message: what came before a holiday is still there after it. */
const RETENTION = Duration.days(14)

/**
 * SQS may measure a queue that was idle so late (Developer Guide, "Monitoring Amazon SQS queues using CloudWatch"). What
 * arrives within it of other messages is part of their alarm; then the next one sounds again, whatever still lies there.
 */
const LATEST_MINUTES = 15

/** Where events wait that nobody took for a day: of what landed, of what ended. With the alarm of what arrives there. */
export const undeliveredEvents = (scope: Construct, alarms: ITopic): Queue => {
  const queue = new Queue(scope, 'Undelivered', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: RETENTION,
  })
  new OperatorAlarm(scope, 'EventsUndelivered', {
    alarms,
    metric: queue.metricNumberOfMessagesSent({ period: Duration.minutes(1) }),
    threshold: 1,
    periods: LATEST_MINUTES,
    isAnyPeriod: true,
    means:
      'An event could not be delivered: a file landed and its import was not started, or an execution failed and was not kept. ' +
      'The file is still there.',
    toDo: `The messages in ${queue.queueName} are the events. Correct the cause, which their attributes name, then upload the file again, or start the machine with the message: "npx millrace execute import -".`,
  })
  return queue
}
