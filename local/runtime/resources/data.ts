import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

const maxBucketNameLength = 63 // S3 User Guide, "General purpose bucket naming rules"

/** What the embedded S3 lets pages of other origins do. */
const corsRule = z.strictObject({
  AllowedOrigins: z.tuple([z.literal('*')]),
  AllowedMethods: z.tuple([z.literal('GET'), z.literal('HEAD'), z.literal('PUT'), z.literal('POST')]),
  AllowedHeaders: z.tuple([z.literal('*')]),
  ExposedHeaders: z.tuple([z.literal('ETag')]),
  MaxAge: z.literal(3600),
})

export const bucket = resourceType({
  type: 'AWS::S3::Bucket',
  properties: z.strictObject({
    BucketName: z.string().optional(),
    NotificationConfiguration: z
      .strictObject({
        EventBridgeConfiguration: z.strictObject({ EventBridgeEnabled: z.boolean().default(true) }),
      })
      .optional(),
    VersioningConfiguration: z.strictObject({ Status: z.enum(['Enabled', 'Suspended']) }).optional(),
    BucketEncryption: withoutMeaningHere(
      'objects rest in the data directory, which is the owner’s to encrypt',
    ),
    LifecycleConfiguration: withoutMeaningHere('nothing expires on one machine; its disk is the limit'),
    PublicAccessBlockConfiguration: withoutMeaningHere('the embedded S3 answers no anonymous request'),
    OwnershipControls: z
      .strictObject({
        Rules: z.tuple([z.strictObject({ ObjectOwnership: z.literal('BucketOwnerPreferred') })]),
      })
      .optional(),
    CorsConfiguration: z.strictObject({ CorsRules: z.tuple([corsRule]) }).optional(),
    Tags: tags,
  }),
  nameProperty: 'BucketName',
  generatedName: path => {
    const name = path
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]/g, '')
    if (name.length <= maxBucketNameLength) return name
    const digest = hexDigest(name, 8)
    return `${name.slice(0, maxBucketNameLength - digest.length - 1)}-${digest}`
  },
  attributes: { Arn: ({ name }) => `arn:${account.partition}:s3:::${name}` },
})

/** Accepts only the rule "TLS only": requests here come over loopback, and any other policy would be ignored. */
export const bucketPolicy = resourceType({
  type: 'AWS::S3::BucketPolicy',
  properties: z.strictObject({
    Bucket: z.string(),
    PolicyDocument: z.strictObject({
      Version: z.string().optional(),
      Statement: z.array(
        z.looseObject({
          Effect: z.literal('Deny'),
          Condition: z.strictObject({
            Bool: z.strictObject({ 'aws:SecureTransport': z.literal('false') }).optional(),
            NumericLessThan: z.strictObject({ 's3:TlsVersion': z.unknown() }).optional(),
          }),
        }),
      ),
    }),
  }),
})

export const table = resourceType({
  type: 'AWS::DynamoDB::Table',
  properties: z.strictObject({
    TableName: z.string().optional(),
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
    ),
    KeySchema: z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
    BillingMode: z.literal('PAY_PER_REQUEST'),
    TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
    SSESpecification: withoutMeaningHere('items rest in the data directory, which is the owner’s to encrypt'),
    PointInTimeRecoverySpecification: withoutMeaningHere('a copy of the data directory is the backup'),
    DeletionProtectionEnabled: withoutMeaningHere('the runtime never deletes a table'),
    ContributorInsightsSpecification: withoutMeaningHere('there are no metrics'),
    Tags: tags,
  }),
  nameProperty: 'TableName',
  attributes: { Arn: ({ name }) => arn('dynamodb', `table/${name}`) },
})
