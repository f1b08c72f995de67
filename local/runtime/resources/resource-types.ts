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
import { alarm, queue, queuePolicy, subscription, topic, topicPolicy } from './messages.ts'
import { arn, type ResourceType, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

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

const dashboard = resourceType({
  type: 'AWS::CloudWatch::Dashboard',
  properties: z.strictObject({
    DashboardName: z.string().optional(),
    DashboardBody: withoutMeaningHere(
      'the console of the storage service shows what came in, waits and failed',
    ),
  }),
  nameProperty: 'DashboardName',
})

const cdkMetadata = resourceType({
  type: 'AWS::CDK::Metadata',
  properties: z.strictObject({
    Analytics: withoutMeaningHere('it counts construct use for the authors of CDK'),
  }),
  ref: ({ logicalId }) => logicalId,
})

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
    topic,
    topicPolicy,
    subscription,
    alarm,
    dashboard,
    secret,
    key,
    httpApi,
    httpApiIntegration,
    httpApiRoute,
    httpApiStage,
    cdkMetadata,
  ].map((type): [string, ResourceType] => [type.type, type]),
)
