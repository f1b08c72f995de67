import { z } from 'zod'
import { delivery } from './delivery.ts'
import { resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const target = z.strictObject({
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
    Target: target,
    KmsKeyArn: withoutMeaningHere('the template is a file on this machine'),
    Description: withoutMeaningHere('it is text for the console'),
  }),
  nameProperty: 'Name',
  ref: ({ name }) => name,
  attributes: {},
})

export const scheduleGroup = resourceType({
  type: 'AWS::Scheduler::ScheduleGroup',
  properties: z.strictObject({ Name: z.string().optional(), Tags: tags }),
  nameProperty: 'Name',
  ref: ({ name }) => name,
  attributes: {},
})

export type ScheduleProperties = z.infer<typeof schedule.properties>
