import { z } from 'zod'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

export const queue = resourceType({
  type: 'AWS::SQS::Queue',
  properties: z.strictObject({
    QueueName: z.string().optional(),
    VisibilityTimeout: z.coerce.number().int().min(0).max(43_200).default(30),
    MessageRetentionPeriod: z.coerce.number().int().min(60).max(1_209_600).default(345_600),
    SqsManagedSseEnabled: withoutMeaningHere('messages rest in the data directory'),
    KmsMasterKeyId: withoutMeaningHere('messages rest in the data directory'),
    KmsDataKeyReusePeriodSeconds: withoutMeaningHere('messages rest in the data directory'),
    Tags: tags,
  }),
  nameProperty: 'QueueName',
  ref: ({ name, endpoints }) => `${endpoints.control}/${account.id}/${name}`,
  attributes: {
    Arn: ({ name }) => arn('sqs', name),
    QueueName: ({ name }) => name,
    QueueUrl: ({ name, endpoints }) => `${endpoints.control}/${account.id}/${name}`,
  },
})

/** Which services may send to a queue: a rule has no rights of its own. Roles have theirs. */
export const queuePolicy = resourceType({
  type: 'AWS::SQS::QueuePolicy',
  properties: z.strictObject({
    Queues: z.array(z.string()),
    PolicyDocument: z.record(z.string(), z.unknown()),
  }),
  ref: ({ logicalId }) => logicalId,
})

/** Topics of SNS. What is published to one goes to the log of the cloud: on one machine, that is its subscriber. */

export const topic = resourceType({
  type: 'AWS::SNS::Topic',
  properties: z.strictObject({
    TopicName: z.string().optional(),
    DisplayName: withoutMeaningHere('it is the subject of text messages'),
    KmsMasterKeyId: withoutMeaningHere('messages go to the log and are not kept'),
    Tags: tags,
  }),
  nameProperty: 'TopicName',
  ref: ({ name }) => arn('sns', name),
  attributes: {
    Arn: ({ name }) => arn('sns', name),
    TopicArn: ({ name }) => arn('sns', name),
    TopicName: ({ name }) => name,
  },
})

/** Who may publish to a topic. */
export const topicPolicy = resourceType({
  type: 'AWS::SNS::TopicPolicy',
  properties: z.strictObject({
    PolicyDocument: z.record(z.string(), z.unknown()),
    Topics: z.array(z.string()),
  }),
  ref: ({ logicalId }) => logicalId,
})

/** Subscribers of a topic: people, by e-mail. Any other protocol would need a delivery. */
export const subscription = resourceType({
  type: 'AWS::SNS::Subscription',
  properties: z.strictObject({
    Protocol: z.literal('email'),
    Endpoint: withoutMeaningHere('no mail is sent from one machine: the log shows what it would say'),
    TopicArn: z.string(),
  }),
  ref: ({ logicalId }) => logicalId,
})

const notMeasured = withoutMeaningHere(
  'of all metrics, only what arrives in a queue is measured on one machine',
)

/** Alarms. Each must be able to publish to its topics; those on what arrives in a queue do so (`alarms/alarms.ts`). */
export const alarm = resourceType({
  type: 'AWS::CloudWatch::Alarm',
  properties: z.strictObject({
    AlarmName: z.string().optional(),
    AlarmDescription: z.string().default(''),
    AlarmActions: z.array(z.string()).default([]),
    OKActions: z.array(z.string()).default([]),
    InsufficientDataActions: z.array(z.string()).default([]),
    ActionsEnabled: z.literal(true).optional(),
    Namespace: z.string().optional(),
    MetricName: z.string().optional(),
    Dimensions: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).default([]),
    Threshold: z.coerce.number().optional(),
    ComparisonOperator: z.string(),
    EvaluationPeriods: z.coerce.number(),
    Period: z.coerce.number().default(60),
    DatapointsToAlarm: notMeasured,
    ExtendedStatistic: notMeasured,
    Metrics: notMeasured,
    Statistic: notMeasured,
    TreatMissingData: notMeasured,
    Unit: notMeasured,
    Tags: tags,
  }),
  nameProperty: 'AlarmName',
  attributes: { Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`) },
})

export type AlarmProperties = z.infer<typeof alarm.properties>
