import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

/** Retries of a target of a rule or a schedule, and the dead-letter queue for what could not be delivered. */
const delivery = {
  RetryPolicy: z
    .strictObject({
      MaximumRetryAttempts: z.coerce.number().int().min(0).max(185).default(185),
      MaximumEventAgeInSeconds: withoutMeaningHere(
        'a target in the same process is reached at once or not at all',
      ),
    })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
}

const ruleTarget = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  RoleArn: z.string().optional(),
  InputTransformer: z
    .strictObject({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  ...delivery,
})

export const rule = resourceType({
  type: 'AWS::Events::Rule',
  properties: z.strictObject({
    Name: z.string().optional(),
    EventBusName: z.literal('default').optional(),
    EventPattern: z.record(z.string(), z.unknown()),
    State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    Targets: z.array(ruleTarget).default([]),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  nameProperty: 'Name',
  attributes: { Arn: ({ name }) => arn('events', `rule/${name}`) },
})

export type RuleProperties = z.infer<typeof rule.properties>
export type RuleTarget = z.infer<typeof ruleTarget>

const scheduleTarget = z.strictObject({
  Arn: z.string(),
  RoleArn: z.string(),
  Input: z.string().default('{}'),
  ...delivery,
})

export const schedule = resourceType({
  type: 'AWS::Scheduler::Schedule',
  properties: z.strictObject({
    Name: z.string().optional(),
    GroupName: z.string().default('default'),
    ScheduleExpression: z.string(),
    ScheduleExpressionTimezone: z.string().default('UTC'),
    State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    // A flexible window lets the service choose a moment. Here it is the first one.
    FlexibleTimeWindow: z.strictObject({
      Mode: z.enum(['OFF', 'FLEXIBLE']),
      MaximumWindowInMinutes: z.coerce.number().optional(),
    }),
    Target: scheduleTarget,
    KmsKeyArn: withoutMeaningHere('the template is a file on this machine'),
    Description: withoutMeaningHere('it is text for the console'),
  }),
  nameProperty: 'Name',
})

export const scheduleGroup = resourceType({
  type: 'AWS::Scheduler::ScheduleGroup',
  properties: z.strictObject({ Name: z.string().optional(), Tags: tags }),
  nameProperty: 'Name',
})

export type ScheduleProperties = z.infer<typeof schedule.properties>
