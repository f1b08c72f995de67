import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { md5Digest } from '#lib/digests.ts'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecords } from '../../durable/records.ts'
import { ServiceError } from '../control/service-error.ts'

const messageSchema = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  /** Milliseconds since 1970. */
  sentAt: z.number(),
  /** When it may be received (again). */
  visibleAt: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().optional(),
  /** Proves to DeleteMessage that the caller has received it. */
  receipt: z.string().optional(),
})
export type Message = z.infer<typeof messageSchema>

interface QueueDefinition {
  readonly name: string
  readonly arn: string
  readonly url: string
  readonly visibilitySeconds: number
  readonly retentionSeconds: number
}

export interface Queue extends QueueDefinition {
  readonly folder: string
  readonly messages: Map<string, Message>
}

/** SQS quotas: "Message size". */
const largestMessageBytes = 1024 * 1024

/** Standard queues: each message is a file, synced before it is acknowledged. */
export class Queues {
  readonly #queues: ReadonlyMap<string, Queue>
  readonly #files: DurableFiles
  readonly #now: () => number

  private constructor(queues: readonly Queue[], files: DurableFiles, now: () => number) {
    this.#queues = new Map(queues.map(queue => [queue.name, queue]))
    this.#files = files
    this.#now = now
  }

  static async open(
    root: string,
    definitions: readonly QueueDefinition[],
    {
      files = new DurableFiles(),
      log = () => {},
      now = Date.now,
    }: { files?: DurableFiles; log?: Log; now?: () => number } = {},
  ): Promise<Queues> {
    await files.makeFolder(root)
    const queues = await Promise.all(
      definitions.map(async definition => {
        const folder = join(root, definition.name)
        await files.makeFolder(folder)
        const messages = await readRecords(files, folder, messageSchema, log)
        return { ...definition, folder, messages: oldestFirst(messages) }
      }),
    )
    return new Queues(queues, files, now)
  }

  byName(name: string): Queue {
    const queue = this.#queues.get(name)
    if (queue) return queue
    throw new ServiceError('QueueDoesNotExist', `The specified queue does not exist: ${name}`)
  }

  /** By the last part of the URL: the port in a URL that somebody has kept may be that of an earlier run. */
  byUrl(url: string): Queue {
    return this.byName(url.split('/').at(-1) ?? '')
  }

  byArn(arn: string): Queue {
    return this.byName(arn.split(':').at(-1) ?? '')
  }

  async send(
    queue: Queue,
    {
      body,
      attributes = {},
      delaySeconds = 0,
    }: { body: string; attributes?: Record<string, unknown>; delaySeconds?: number },
  ): Promise<{ messageId: string; md5OfBody: string }> {
    if (body.length === 0) throw new ServiceError('InvalidMessageContents', 'The message is empty')
    if (Buffer.byteLength(body) > largestMessageBytes)
      throw new ServiceError(
        'InvalidParameterValue',
        `The message is longer than ${largestMessageBytes} bytes`,
      )
    const now = this.#now()
    const message: Message = {
      messageId: randomUUID(),
      body,
      attributes,
      sentAt: now,
      visibleAt: now + delaySeconds * 1000,
      receiveCount: 0,
    }
    await this.#save(queue, message)
    return { messageId: message.messageId, md5OfBody: md5Digest(body) }
  }

  /** Messages that are visible now, oldest first; each is then hidden for `visibilitySeconds`. */
  async receive(
    queue: Queue,
    count: number,
    visibilitySeconds = queue.visibilitySeconds,
  ): Promise<Message[]> {
    await this.#dropExpired(queue)
    const now = this.#now()
    const received = this.visible(queue)
      .slice(0, count)
      .map(message => ({
        ...message,
        visibleAt: now + visibilitySeconds * 1000,
        receiveCount: message.receiveCount + 1,
        firstReceivedAt: message.firstReceivedAt ?? now,
        receipt: `${message.messageId}#${randomUUID()}`,
      }))
    await Promise.all(received.map(message => this.#save(queue, message)))
    return received
  }

  visible(queue: Queue): Message[] {
    const now = this.#now()
    return [...queue.messages.values()].filter(({ visibleAt }) => visibleAt <= now)
  }

  /** Deleting a message that is gone already is no error (SQS API Reference, "DeleteMessage"). */
  async delete(queue: Queue, receipt: string): Promise<void> {
    const messageId = receipt.split('#')[0] ?? ''
    if (!/^[0-9a-f-]{36}$/.test(messageId))
      throw new ServiceError('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.')
    await this.#remove(queue, messageId)
  }

  async #dropExpired(queue: Queue): Promise<void> {
    const oldest = this.#now() - queue.retentionSeconds * 1000
    const expired = [...queue.messages.values()].filter(({ sentAt }) => sentAt < oldest)
    await Promise.all(expired.map(({ messageId }) => this.#remove(queue, messageId)))
  }

  async #save(queue: Queue, message: Message): Promise<void> {
    // Hidden at once, so that two receivers at the same moment do not both get it.
    const before = queue.messages.get(message.messageId)
    if (before) queue.messages.set(message.messageId, message)
    try {
      await this.#files.writeWhole(join(queue.folder, `${message.messageId}.json`), JSON.stringify(message))
    } catch (error) {
      if (before) queue.messages.set(message.messageId, before)
      throw error
    }
    queue.messages.set(message.messageId, message)
  }

  async #remove(queue: Queue, messageId: string): Promise<void> {
    queue.messages.delete(messageId)
    await this.#files.remove(join(queue.folder, `${messageId}.json`))
  }
}

const oldestFirst = (messages: readonly Message[]): Map<string, Message> =>
  new Map(messages.toSorted((a, b) => a.sentAt - b.sentAt).map(message => [message.messageId, message]))
