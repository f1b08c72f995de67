import { Duration } from 'aws-cdk-lib'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { OperatorAlarm } from './operator-alarm.ts'

interface DeadLettersProps {
  /** What a dead letter stands for, in the alarm's text. */
  readonly means: string
  readonly alarms: ITopic
}

/** The longest that SQS keeps a message: a dead letter written before a holiday is still there after it. */
const RETENTION = Duration.days(14)

/**
 * SQS may measure a queue that was idle so late (Developer Guide, "Monitoring Amazon SQS queues using CloudWatch"). What
 * arrives within it of other letters is part of their alarm; then the next letter sounds again, whatever still lies there.
 */
const LATEST_MINUTES = 15

/** The queue for work that failed, and the alarm of what arrives there. */
export class DeadLetters extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { means, alarms }: DeadLettersProps) {
    super(scope, id)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    })
    new OperatorAlarm(this, 'Arrived', {
      alarms,
      metric: this.queue.metricNumberOfMessagesSent({ period: Duration.minutes(1) }),
      threshold: 1,
      periods: LATEST_MINUTES,
      isAnyPeriod: true,
      means,
      toDo:
        `"npx millrace letters" shows why, and so does the message in ${this.queue.queueName}. Correct the cause, then try again as ` +
        '"redrive" in the message says.',
    })
  }
}
