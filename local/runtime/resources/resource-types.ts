import { z } from 'zod'
import { key, policy, role, secret } from './access.ts'
import {
  eventInvokeConfig,
  httpApi,
  httpApiIntegration,
  httpApiRoute,
  httpApiStage,
  lambdaFunction,
  lambdaPermission,
  stateMachine,
} from './compute.ts'
import { bucket, bucketPolicy, table } from './data.ts'
import { rule, schedule, scheduleGroup } from './events.ts'
import { queue, queuePolicy } from './messages.ts'
import {
  arn,
  type Described,
  type ResourceType,
  resourceType,
  tags,
  withoutMeaningHere,
} from './resource-type.ts'

const logGroup = resourceType({
  type: 'AWS::Logs::LogGroup',
  properties: z.strictObject({
    LogGroupName: z.string().optional(),
    RetentionInDays: withoutMeaningHere('log files are bounded by size'),
    KmsKeyId: withoutMeaningHere('log files rest in the data directory'),
    LogGroupClass: withoutMeaningHere('there is one kind of file'),
    Tags: tags,
  }),
  nameProperty: 'LogGroupName',
  attributes: { Arn: ({ name }) => arn('logs', `log-group:${name}:*`) },
})

/** For those who run the stack in an account; here the log and the console say it. */
const watching = (type: string, more: Partial<Described<unknown>> = {}): ResourceType =>
  resourceType({ type, properties: z.unknown(), ...more })

const watchers = [
  watching('AWS::CloudWatch::Alarm', { nameProperty: 'AlarmName' }),
  watching('AWS::CloudWatch::Dashboard', { nameProperty: 'DashboardName' }),
  watching('AWS::SNS::Topic', {
    ref: ({ name }) => arn('sns', name),
    attributes: { TopicName: ({ name }) => name },
  }),
  watching('AWS::SNS::TopicPolicy'),
  watching('AWS::SNS::Subscription'),
  watching('AWS::CDK::Metadata', { ref: ({ logicalId }) => logicalId }),
]

/** Every resource type that the one-machine cloud knows, by its CloudFormation name. */
export const resourceTypes: ReadonlyMap<string, ResourceType> = new Map(
  [
    bucket,
    bucketPolicy,
    table,
    lambdaFunction,
    lambdaPermission,
    eventInvokeConfig,
    role,
    policy,
    logGroup,
    stateMachine,
    rule,
    schedule,
    scheduleGroup,
    queue,
    queuePolicy,
    secret,
    key,
    httpApi,
    httpApiIntegration,
    httpApiRoute,
    httpApiStage,
    ...watchers,
  ].map((type): [string, ResourceType] => [type.type, type]),
)
