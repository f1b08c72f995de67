import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

/** Topics of SNS. What is published to one goes to the log of the cloud: on one machine, that is its subscriber. */

export const topic = resourceType({
  type: 'AWS::SNS::Topic',
  properties: z.strictObject({
    TopicName: z.string().optional(),
    DisplayName: withoutMeaningHere('it is the subject of text messages'),
    KmsMasterKeyId: withoutMeaningHere('messages go to the log and are not kept'),
    Tags: tags,
  }),
  nameProperty: 'TopicName',
  ref: ({ name }) => arn('sns', name),
  attributes: {
    Arn: ({ name }) => arn('sns', name),
    TopicArn: ({ name }) => arn('sns', name),
    TopicName: ({ name }) => name,
  },
})

/** Who may publish to a topic. */
export const topicPolicy = resourceType({
  type: 'AWS::SNS::TopicPolicy',
  properties: z.strictObject({
    PolicyDocument: z.record(z.string(), z.unknown()),
    Topics: z.array(z.string()),
  }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})

/** Subscribers of a topic: people, by e-mail. Any other protocol would need a delivery. */
export const subscription = resourceType({
  type: 'AWS::SNS::Subscription',
  properties: z.strictObject({
    Protocol: z.literal('email'),
    Endpoint: withoutMeaningHere('no mail is sent from one machine: the log shows what it would say'),
    TopicArn: z.string(),
  }),
  ref: ({ logicalId }) => logicalId,
  attributes: {},
})
