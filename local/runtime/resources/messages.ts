import { z } from 'zod'
import { account, arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

/** Names it; nobody listens there. */
const urlOf = ({ name }: { readonly name: string }) => `https://sqs.invalid/${account.id}/${name}`

export const queue = resourceType({
  type: 'AWS::SQS::Queue',
  properties: z.strictObject({
    QueueName: z.string().optional(),
    VisibilityTimeout: withoutMeaningHere('nobody takes messages away'),
    MessageRetentionPeriod: z.coerce.number().int().min(60).max(1_209_600).default(345_600),
    SqsManagedSseEnabled: withoutMeaningHere('messages rest in the data directory'),
    KmsMasterKeyId: withoutMeaningHere('messages rest in the data directory'),
    KmsDataKeyReusePeriodSeconds: withoutMeaningHere('messages rest in the data directory'),
    Tags: tags,
  }),
  nameProperty: 'QueueName',
  ref: urlOf,
  attributes: {
    Arn: ({ name }) => arn('sqs', name),
    QueueName: ({ name }) => name,
    QueueUrl: urlOf,
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
