import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

/** Resources for watching a deployed stack: logs, alarms, their topics, and CDK's own metadata. */
const unwatched = withoutMeaningHere(
  'nobody is paged on one machine: a failed execution and its dead letter show it',
)

export const logGroup = resourceType({
  type: 'AWS::Logs::LogGroup',
  properties: z.strictObject({
    LogGroupName: z.string().optional(),
    RetentionInDays: withoutMeaningHere('log files are bounded by size'),
    KmsKeyId: withoutMeaningHere('log files rest in the data directory'),
    LogGroupClass: withoutMeaningHere('there is one kind of file'),
    Tags: tags,
  }),
  nameProperty: 'LogGroupName',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('logs', `log-group:${name}:*`) },
})

export const alarm = resourceType({
  type: 'AWS::CloudWatch::Alarm',
  properties: z.strictObject({
    AlarmName: z.string().optional(),
    AlarmDescription: unwatched,
    AlarmActions: unwatched,
    OKActions: unwatched,
    InsufficientDataActions: unwatched,
    ActionsEnabled: unwatched,
    ComparisonOperator: unwatched,
    DatapointsToAlarm: unwatched,
    Dimensions: unwatched,
    EvaluationPeriods: unwatched,
    ExtendedStatistic: unwatched,
    MetricName: unwatched,
    Metrics: unwatched,
    Namespace: unwatched,
    Period: unwatched,
    Statistic: unwatched,
    Threshold: unwatched,
    TreatMissingData: unwatched,
    Unit: unwatched,
    Tags: tags,
  }),
  nameProperty: 'AlarmName',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`) },
})

export const topic = resourceType({
  type: 'AWS::SNS::Topic',
  properties: z.strictObject({
    TopicName: z.string().optional(),
    DisplayName: unwatched,
    KmsMasterKeyId: unwatched,
    Tags: tags,
  }),
  nameProperty: 'TopicName',
  ref: ({ name }) => arn('sns', name),
  attributes: { TopicArn: ({ name }) => arn('sns', name), TopicName: ({ name }) => name },
})

/** Who may publish to a topic. There are no alarms here. */
export const topicPolicy = resourceType({
  type: 'AWS::SNS::TopicPolicy',
  properties: z.strictObject({ PolicyDocument: unwatched, Topics: unwatched }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})

/** Subscribers of a topic: people, by e-mail. Any other protocol would need a delivery. */
export const subscription = resourceType({
  type: 'AWS::SNS::Subscription',
  properties: z.strictObject({ Protocol: z.literal('email'), Endpoint: unwatched, TopicArn: unwatched }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})

export const cdkMetadata = resourceType({
  type: 'AWS::CDK::Metadata',
  properties: z.strictObject({
    Analytics: withoutMeaningHere('it counts construct use for the authors of CDK'),
  }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})
