import { z } from 'zod'
import { md5Digest } from '#lib/digests.ts'
import { type Operations, operation } from '../control/aws-json-server.ts'
import { ServiceError } from '../control/service-error.ts'
import type { Message, Queue, Queues } from './queues.ts'

const onQueue = z.object({ QueueUrl: z.string() })

/** The operations of SQS (AWS JSON 1.0) that a person with dead letters needs, and those that our functions use. */
export const queueOperations = (queues: Queues): Operations => {
  const arnOf = ({ QueueUrl }: { QueueUrl: string }) => queues.byUrl(QueueUrl).arn
  return {
    'AmazonSQS.SendMessage': operation({
      action: 'sqs:SendMessage',
      input: onQueue.extend({
        MessageBody: z.string(),
        DelaySeconds: z.number().int().min(0).max(900).optional(),
        MessageAttributes: z.undefined({ error: 'message attributes are not offered' }).optional(),
      }),
      resource: arnOf,
      run: async ({ QueueUrl, MessageBody, DelaySeconds = 0 }) => {
        const sent = await queues.send(queues.byUrl(QueueUrl), {
          body: MessageBody,
          delaySeconds: DelaySeconds,
        })
        return { MessageId: sent.messageId, MD5OfMessageBody: sent.md5OfBody }
      },
    }),

    'AmazonSQS.ReceiveMessage': operation({
      action: 'sqs:ReceiveMessage',
      input: onQueue.extend({
        MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
        VisibilityTimeout: z.number().int().min(0).max(43_200).optional(),
        WaitTimeSeconds: z.number().int().min(0).max(20).default(0),
        AttributeNames: z.array(z.string()).default([]),
        MessageSystemAttributeNames: z.array(z.string()).default([]),
        MessageAttributeNames: z.array(z.string()).optional(),
      }),
      resource: arnOf,
      run: async input => {
        const queue = queues.byUrl(input.QueueUrl)
        await untilVisible(queues, queue, input.WaitTimeSeconds)
        const messages = await queues.receive(queue, input.MaxNumberOfMessages, input.VisibilityTimeout)
        if (messages.length === 0) return {}
        const wanted = new Set([...input.AttributeNames, ...input.MessageSystemAttributeNames])
        return { Messages: messages.map(message => describe(message, wanted)) }
      },
    }),

    'AmazonSQS.DeleteMessage': operation({
      action: 'sqs:DeleteMessage',
      input: onQueue.extend({ ReceiptHandle: z.string() }),
      resource: arnOf,
      run: ({ QueueUrl, ReceiptHandle }) => queues.delete(queues.byUrl(QueueUrl), ReceiptHandle),
    }),

    'AmazonSQS.GetQueueAttributes': operation({
      action: 'sqs:GetQueueAttributes',
      input: onQueue.extend({ AttributeNames: z.array(z.string()).default([]) }),
      resource: arnOf,
      run: ({ QueueUrl, AttributeNames }) => ({
        Attributes: pick(attributesOf(queues, queues.byUrl(QueueUrl)), AttributeNames),
      }),
    }),
  }
}

const attributesOf = (queues: Queues, queue: Queue): Record<string, string> => {
  const visible = queues.visible(queue)
  const delayed = [...queue.messages.values()].filter(
    message => message.receiveCount === 0 && !visible.includes(message),
  )
  return {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible.length),
    ApproximateNumberOfMessagesDelayed: String(delayed.length),
    ApproximateNumberOfMessagesNotVisible: String(queue.messages.size - visible.length - delayed.length),
    VisibilityTimeout: String(queue.visibilitySeconds),
    MessageRetentionPeriod: String(queue.retentionSeconds),
  }
}

const pick = (attributes: Record<string, string>, names: readonly string[]): Record<string, string> => {
  const unknown = names.find(name => name !== 'All' && !(name in attributes))
  if (unknown) throw new ServiceError('InvalidAttributeName', `Unknown Attribute ${unknown}.`)
  if (names.includes('All')) return attributes
  return Object.fromEntries(names.map(name => [name, attributes[name] ?? '']))
}

const describe = (message: Message, wanted: ReadonlySet<string>) => {
  const attributes = {
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
  }
  const chosen = Object.entries(attributes).filter(([name]) => wanted.has('All') || wanted.has(name))
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receipt,
    Body: message.body,
    MD5OfBody: md5Digest(message.body),
    ...(chosen.length > 0 && { Attributes: Object.fromEntries(chosen) }),
  }
}

/** Long polling: looks again a few times a second until there is something to receive. */
const untilVisible = async (queues: Queues, queue: Queue, seconds: number): Promise<void> => {
  const deadline = Date.now() + seconds * 1000
  while (queues.visible(queue).length === 0 && Date.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 200))
}
