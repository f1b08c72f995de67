import { type AlarmProperties, alarm } from '../resources/messages.ts'
import type { Stack } from '../template/stack.ts'
import { type Refusal, UnsupportedError } from '../template/unsupported.ts'
import type { Topics } from './topics.ts'

const service = 'cloudwatch.amazonaws.com'

/** Goes off when a message arrives in a queue, unless another one has within the time that it looks at. */
interface QueueAlarm {
  readonly arn: string
  readonly name: string
  readonly queueName: string
  readonly windowMs: number
  readonly description: string
  readonly topics: readonly string[]
}

/**
 * The alarms of the stack. An alarm that may not publish to its topic would notify nobody, so the stack is refused.
 *
 * Of the metrics, only what arrives in a queue is measured here: those alarms go off, and the topic's log says so.
 */
export class Alarms {
  readonly #ofQueues: readonly QueueAlarm[]
  readonly #topics: Topics
  readonly #now: () => number
  /** When the last message arrived, by the name of the queue. */
  readonly #arrived = new Map<string, number>()

  /** Refuses, with all their names, alarms that may not publish. */
  constructor(stack: Stack, topics: Topics, now: () => number = Date.now) {
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
    this.#now = now
    this.#ofQueues = alarms.flatMap(({ arn, name, properties }) => queueAlarm(arn, name, properties))
  }

  /** A message has arrived in a queue. */
  onMessage(queueName: string): void {
    const now = this.#now()
    const quietMs = now - (this.#arrived.get(queueName) ?? Number.NEGATIVE_INFINITY)
    this.#arrived.set(queueName, now)
    // CloudWatch repeats no action while the state stays.
    for (const alarm of this.#ofQueues)
      if (alarm.queueName === queueName && quietMs >= alarm.windowMs)
        for (const topicArn of alarm.topics)
          this.#topics.publish(
            topicArn,
            { service, sourceArn: alarm.arn },
            `alarm ${alarm.name}: ${alarm.description}`,
          )
  }
}

const queueAlarm = (arn: string, name: string, properties: AlarmProperties): QueueAlarm[] => {
  const { Namespace, MetricName, Dimensions, Threshold, ComparisonOperator } = properties
  const queueName = Dimensions.find(({ Name }) => Name === 'QueueName')?.Value
  const countsArrivals = Namespace === 'AWS/SQS' && MetricName === 'NumberOfMessagesSent'
  const isSetOffByOne = Threshold === 1 && ComparisonOperator === 'GreaterThanOrEqualToThreshold'
  if (!countsArrivals || !isSetOffByOne || queueName === undefined) return []
  const { AlarmDescription: description, AlarmActions: topics, EvaluationPeriods, Period } = properties
  return [{ arn, name, queueName, windowMs: EvaluationPeriods * Period * 1000, description, topics }]
}
