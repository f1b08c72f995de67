import { z } from 'zod'
import { arn, resourceType, withoutMeaningHere } from './resource-type.ts'

const target = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  RoleArn: z.string().optional(),
  Input: z.string().optional(),
  InputPath: z.string().optional(),
  InputTransformer: z
    .strictObject({ InputPathsMap: z.record(z.string(), z.string()).default({}), InputTemplate: z.string() })
    .optional(),
  RetryPolicy: z
    .strictObject({
      MaximumRetryAttempts: z.coerce.number().int().min(0).max(185).default(185),
      MaximumEventAgeInSeconds: withoutMeaningHere(
        'a target in the same process is reached at once or not at all',
      ),
    })
    .optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
})

export const rule = resourceType({
  type: 'AWS::Events::Rule',
  properties: z.strictObject({
    Name: z.string().optional(),
    EventBusName: z.literal('default').optional(),
    EventPattern: z.record(z.string(), z.unknown()),
    State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    Targets: z.array(target).default([]),
    Description: withoutMeaningHere('it is text for the console'),
  }),
  nameProperty: 'Name',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('events', `rule/${name}`) },
})

export type RuleProperties = z.infer<typeof rule.properties>
export type RuleTarget = z.infer<typeof target>
