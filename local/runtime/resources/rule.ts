import { z } from 'zod'
import { delivery } from './delivery.ts'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const target = z.strictObject({
  Id: z.string(),
  Arn: z.string(),
  RoleArn: z.string().optional(),
  Input: z.string().optional(),
  InputPath: z.string().optional(),
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
    Targets: z.array(target).default([]),
    Description: withoutMeaningHere('it is text for the console'),
    Tags: tags,
  }),
  nameProperty: 'Name',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('events', `rule/${name}`) },
})

export type RuleProperties = z.infer<typeof rule.properties>
export type RuleTarget = z.infer<typeof target>
