import { z } from 'zod'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

export const queue = resourceType({
  type: 'AWS::SQS::Queue',
  properties: z.strictObject({
    QueueName: z.string().optional(),
    VisibilityTimeout: z.coerce.number().int().min(0).max(43_200).default(30),
    MessageRetentionPeriod: z.coerce.number().int().min(60).max(1_209_600).default(345_600),
    SqsManagedSseEnabled: withoutMeaningHere('messages rest in the data directory'),
    KmsMasterKeyId: withoutMeaningHere('messages rest in the data directory'),
    KmsDataKeyReusePeriodSeconds: withoutMeaningHere('messages rest in the data directory'),
    Tags: tags,
  }),
  nameProperty: 'QueueName',
  ref: ({ name, endpoints }) => `${endpoints.control}/${account.id}/${name}`,
  attributes: {
    Arn: ({ name }) => arn('sqs', name),
    QueueName: ({ name }) => name,
    QueueUrl: ({ name, endpoints }) => `${endpoints.control}/${account.id}/${name}`,
  },
})

/** Which services may send to a queue: a rule has no rights of its own. Roles have theirs. */
export const queuePolicy = resourceType({
  type: 'AWS::SQS::QueuePolicy',
  properties: z.strictObject({
    Queues: z.array(z.string()),
    PolicyDocument: z.record(z.string(), z.unknown()),
  }),
  ref: ({ logicalId }) => logicalId,
})
