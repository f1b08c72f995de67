import { z } from 'zod'
import { alarm } from './alarm.ts'
import { bucket, bucketPolicy } from './bucket.ts'
import { eventInvokeConfig, lambdaFunction, lambdaPermission } from './function.ts'
import { glueDatabase } from './glue-database.ts'
import { httpApi, httpApiIntegration, httpApiRoute, httpApiStage } from './http-api.ts'
import { key } from './key.ts'
import { queue, queuePolicy } from './queue.ts'
import { arn, type ResourceType, resourceType, tags, withoutMeaningHere } from './resource-type.ts'
import { policy, role } from './role.ts'
import { rule } from './rule.ts'
import { schedule, scheduleGroup } from './schedule.ts'
import { secret } from './secret.ts'
import { stateMachine } from './state-machine.ts'
import { table } from './table.ts'
import { subscription, topic, topicPolicy } from './topic.ts'
import { workGroup } from './work-group.ts'

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
  ref: ({ name }) => name,
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
  ref: ({ name }) => name,
  attributes: {},
})

const cdkMetadata = resourceType({
  type: 'AWS::CDK::Metadata',
  properties: z.strictObject({
    Analytics: withoutMeaningHere('it counts construct use for the authors of CDK'),
  }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
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
    glueDatabase,
    workGroup,
    httpApi,
    httpApiIntegration,
    httpApiRoute,
    httpApiStage,
    cdkMetadata,
  ].map((type): [string, ResourceType] => [type.type, type]),
)
