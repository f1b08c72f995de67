import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { expect, it } from 'vitest'
import { ControlServer } from '#local/runtime/control/aws-json-server.ts'
import { queueOperations } from '#local/runtime/queues/operations.ts'
import { Queues } from '#local/runtime/queues/queues.ts'
import { otherImplementation } from '#support/other-implementation.ts'
import { untilEnd } from '#support/until-end.ts'
import { refusal } from './refusal.ts'

/*
 * What is asked of queues of dead letters. `npm run contracts` runs it on moto.
 */

const QueueName = 'millrace-test-letters'

const startOurs = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'queues-'))
  const server = new ControlServer({
    authenticate: () => ({ roleArn: undefined }),
    isAllowed: () => true,
    log: () => {},
  })
  const endpoint = await server.listen()
  const url = `${endpoint}/000000000000/${QueueName}`
  const definition = {
    name: QueueName,
    arn: `arn:aws:sqs:us-east-1:000000000000:${QueueName}`,
    url,
    visibilitySeconds: 30,
    retentionSeconds: 1_209_600,
  }
  server.serve(queueOperations(await Queues.open(folder, [definition])))
  return {
    settings: {
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    url,
    close: async () => {
      await server.close()
      await rm(folder, { recursive: true })
    },
  }
}

const other = otherImplementation('MILLRACE_TEST_AWS')
const ours = other ? undefined : await untilEnd(startOurs())
const settings = other?.settings ?? ours?.settings ?? {}
const client = await untilEnd(new SQSClient({ ...settings, maxAttempts: 1 }))
const Attributes = { VisibilityTimeout: '30', MessageRetentionPeriod: '1209600' }
const QueueUrl = ours?.url ?? (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl
if (other) await untilEnd({ close: () => client.send(new DeleteQueueCommand({ QueueUrl })) })

const send = (MessageBody: string, more = {}) =>
  client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }))
const receive = async (more = {}) => {
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, ...more }))
  return Messages
}
it('a message comes with what was sent, and is hidden until it is deleted', async () => {
  const body = JSON.stringify({ name: 'Žluťoučký', line: 'a\nb' })
  const sent = await send(body)
  const [message, ...more] = await receive({ MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] })
  expect(more).toEqual([])
  // The SDK has compared the digest of the body.
  expect(message).toMatchObject({ MessageId: sent.MessageId, Body: body, MD5OfBody: sent.MD5OfMessageBody })
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: '1',
    SentTimestamp: expect.stringMatching(/^\d{13}$/),
    ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
  })
  expect(await receive()).toEqual([])
  const remove = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle })
  await client.send(remove)
  expect(await refusal(client.send(remove)), 'a second time').toBe('done')
})

it('a message that may be seen again comes again, and is counted', async () => {
  await send('again')
  const [first] = await receive({ VisibilityTimeout: 0 })
  const [second] = await receive({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] })
  expect(second).toMatchObject({ MessageId: first?.MessageId, Attributes: { ApproximateReceiveCount: '2' } })
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: second?.ReceiptHandle }))
})

it('the attributes of a queue count its messages', async () => {
  await send('one')
  await send('two')
  await send('later', { DelaySeconds: 60 })
  await receive()
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'MessageRetentionPeriod',
    'VisibilityTimeout',
  ] as const
  const counted = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: [...names, 'ApproximateNumberOfMessagesDelayed'],
    }),
  )
  expect(counted.Attributes).toEqual({
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesDelayed: '1',
    ApproximateNumberOfMessagesNotVisible: '1',
    MessageRetentionPeriod: '1209600',
    VisibilityTimeout: '30',
  })
})

it.each<[string, () => Promise<unknown>, string]>([
  [
    'a message for one',
    () => client.send(new SendMessageCommand({ QueueUrl: `${QueueUrl}-none`, MessageBody: 'a' })),
    'QueueDoesNotExist',
  ],
  [
    'a receipt that is none',
    () => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'none' })),
    'ReceiptHandleIsInvalid',
  ],
  ['eleven messages', () => receive({ MaxNumberOfMessages: 11 }), 'InvalidParameterValue'],
  ['a delay of an hour', () => send('late', { DelaySeconds: 3600 }), 'InvalidParameterValue'],
  ['more than 1 MiB', () => send('x'.repeat(1024 ** 2 + 1)), 'InvalidParameterValue'],
])('%s is refused', async (_, call, code) => {
  expect(await refusal(call())).toBe(code)
})
