import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))

export const table = resourceType({
  type: 'AWS::DynamoDB::Table',
  properties: z.strictObject({
    TableName: z.string().optional(),
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
    ),
    KeySchema: keySchema,
    BillingMode: z.literal('PAY_PER_REQUEST'),
    GlobalSecondaryIndexes: z
      .array(
        z.strictObject({
          IndexName: z.string(),
          KeySchema: keySchema,
          Projection: z.strictObject({
            ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
            NonKeyAttributes: z.array(z.string()).optional(),
          }),
        }),
      )
      .optional(),
    TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
    SSESpecification: withoutMeaningHere('items rest in the data directory, which is the owner’s to encrypt'),
    PointInTimeRecoverySpecification: withoutMeaningHere('a copy of the data directory is the backup'),
    DeletionProtectionEnabled: withoutMeaningHere('the runtime never deletes a table'),
    ContributorInsightsSpecification: withoutMeaningHere('there are no metrics'),
    Tags: tags,
  }),
  nameProperty: 'TableName',
  ref: ({ name }) => name,
  attributes: { Arn: ({ name }) => arn('dynamodb', `table/${name}`) },
})

export type TableProperties = z.infer<typeof table.properties>
