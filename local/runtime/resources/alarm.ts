import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

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
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`) },
})

export type AlarmProperties = z.infer<typeof alarm.properties>
