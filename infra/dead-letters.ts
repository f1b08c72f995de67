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

/** The queue for work that failed, and its alarm. */
export class DeadLetters extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { means, alarms }: DeadLettersProps) {
    super(scope, id)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    })
    new OperatorAlarm(this, 'NotEmpty', {
      alarms,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      means,
      toDo:
        `"npx millrace letters" shows why, and so does the message in ${this.queue.queueName}. Correct the cause, try again as ` +
        '"redrive" in the message says, then delete the message.',
    })
  }
}
