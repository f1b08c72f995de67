import { type AlarmProperties, alarm } from '../resources/alarm.ts'
import type { Stack } from '../template/stack.ts'
import { type Refusal, UnsupportedError } from '../template/unsupported.ts'
import type { Topics } from './topics.ts'

const service = 'cloudwatch.amazonaws.com'

/** How long a queue must be, in messages that can be received, for its alarm to go off. */
interface QueueAlarm {
  readonly arn: string
  readonly name: string
  readonly queueName: string
  readonly length: number
  readonly description: string
  readonly topics: readonly string[]
}

/**
 * The alarms of the stack. An alarm that may not publish to its topic would notify nobody, so the stack is refused.
 *
 * Of the metrics, only the length of a queue is measured here: those alarms go off, and the topic's log says so.
 */
export class Alarms {
  readonly #ofQueues: readonly QueueAlarm[]
  readonly #topics: Topics

  /** Refuses, with all their names, alarms that may not publish. */
  constructor(stack: Stack, topics: Topics) {
    const alarms = stack.ofType(alarm)
    const refusals: Refusal[] = alarms.flatMap(({ logicalId, arn, properties }) => {
      const { AlarmActions, OKActions, InsufficientDataActions } = properties
      return [...AlarmActions, ...OKActions, ...InsufficientDataActions]
        .filter(topicArn => !topics.mayPublish(topicArn, { service, sourceArn: arn }))
        .map(topicArn => ({
          where: `${logicalId} (${alarm.type})`,
          why: `${service} may not publish to ${topicArn}, so the alarm would notify nobody`,
        }))
    })
    if (refusals.length > 0) throw new UnsupportedError(refusals)
    this.#topics = topics
    this.#ofQueues = alarms.flatMap(({ arn, name, properties }) => queueAlarm(arn, name, properties))
  }

  /** A message has arrived in a queue that now has `length` of them. */
  onMessage(queueName: string, length: number): void {
    // Once, when the state changes; CloudWatch repeats no action while the state stays.
    for (const alarm of this.#ofQueues)
      if (alarm.queueName === queueName && alarm.length === length)
        for (const topicArn of alarm.topics)
          this.#topics.publish(
            topicArn,
            { service, sourceArn: alarm.arn },
            `alarm ${alarm.name}: ${alarm.description}`,
          )
  }
}

const shortestLength: Readonly<Record<string, (threshold: number) => number>> = {
  GreaterThanOrEqualToThreshold: threshold => Math.ceil(threshold),
  GreaterThanThreshold: threshold => Math.floor(threshold) + 1,
}

const queueAlarm = (arn: string, name: string, properties: AlarmProperties): QueueAlarm[] => {
  const { Namespace, MetricName, Dimensions, Threshold, ComparisonOperator } = properties
  const queueName = Dimensions.find(({ Name }) => Name === 'QueueName')?.Value
  const lengthOf = shortestLength[ComparisonOperator]
  const measuresLength = Namespace === 'AWS/SQS' && MetricName === 'ApproximateNumberOfMessagesVisible'
  if (!measuresLength || queueName === undefined || Threshold === undefined || !lengthOf) return []
  const { AlarmDescription: description, AlarmActions: topics } = properties
  return [{ arn, name, queueName, length: lengthOf(Threshold), description, topics }]
}
