import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

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

export const dashboard = resourceType({
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

export const cdkMetadata = resourceType({
  type: 'AWS::CDK::Metadata',
  properties: z.strictObject({
    Analytics: withoutMeaningHere('it counts construct use for the authors of CDK'),
  }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})
