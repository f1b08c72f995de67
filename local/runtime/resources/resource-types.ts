import { alarm } from './alarm.ts'
import { bucket, bucketPolicy } from './bucket.ts'
import { eventInvokeConfig, lambdaFunction, lambdaPermission } from './function.ts'
import { glueDatabase } from './glue-database.ts'
import { httpApi, httpApiIntegration, httpApiRoute, httpApiStage } from './http-api.ts'
import { key } from './key.ts'
import { cdkMetadata, dashboard, logGroup } from './operations.ts'
import { queue, queuePolicy } from './queue.ts'
import type { ResourceType } from './resource-type.ts'
import { policy, role } from './role.ts'
import { rule } from './rule.ts'
import { schedule, scheduleGroup } from './schedule.ts'
import { secret } from './secret.ts'
import { stateMachine } from './state-machine.ts'
import { table } from './table.ts'
import { subscription, topic, topicPolicy } from './topic.ts'
import { workGroup } from './work-group.ts'

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
