import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

export const workGroup = resourceType({
  type: 'AWS::Athena::WorkGroup',
  properties: z.strictObject({
    Name: z.string(),
    State: z.literal('ENABLED').optional(),
    WorkGroupConfiguration: z.strictObject({
      EnforceWorkGroupConfiguration: z.literal(true),
      BytesScannedCutoffPerQuery: z.coerce.number().int().min(10_000_000),
      EngineVersion: z.strictObject({ SelectedEngineVersion: z.literal('Athena engine version 3') }),
      ResultConfiguration: z.strictObject({
        OutputLocation: z.string().startsWith('s3://'),
        EncryptionConfiguration: z.strictObject({ EncryptionOption: z.literal('SSE_S3') }),
        ExpectedBucketOwner: withoutMeaningHere('there is one account'),
      }),
      PublishCloudWatchMetricsEnabled: withoutMeaningHere('nobody watches metrics on one machine'),
    }),
    Description: withoutMeaningHere('it is text for the console'),
    RecursiveDeleteOption: withoutMeaningHere('queries are deleted with the data directory'),
    Tags: tags,
  }),
  nameProperty: 'Name',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('athena', `workgroup/${name}`) },
})
