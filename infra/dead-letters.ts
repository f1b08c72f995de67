import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'

interface DeadLettersProps {
  /** What a dead letter stands for, in the alarm's text. */
  readonly meaning: string
  readonly alarms: ITopic
}

/** The longest that SQS keeps a message: a dead letter written before a holiday is still there after it. */
const RETENTION = Duration.days(14)

/** The queue for work that failed, and its alarm. */
export class DeadLetters extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { meaning, alarms }: DeadLettersProps) {
    super(scope, id)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
    })
    new Alarm(this, 'NotEmpty', {
      alarmDescription:
        `${meaning} "npx millrace letters" shows why, and the message in ${this.queue.queueName} holds the input, the failure and ` +
        '(redrive) how to try again. When the cause is mended, do that, then delete the message.',
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }).addAlarmAction(new SnsAction(alarms))
  }
}
