import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { DurableFiles } from '../../durable/durable-files.ts'
import { type Log, readRecords } from '../../durable/records.ts'
import { ServiceError } from '../service-error.ts'

const messageSchema = z.object({
  messageId: z.string(),
  body: z.string(),
  /** Milliseconds since 1970. */
  sentAt: z.number(),
})
type Message = z.infer<typeof messageSchema>

interface QueueDefinition {
  readonly name: string
  readonly arn: string
  readonly retentionSeconds: number
}

interface Queue extends QueueDefinition {
  readonly folder: string
  readonly messages: Map<string, Message>
}

/** SQS quotas: "Message size". */
const largestMessageBytes = 1024 * 1024

/** What failed for good, kept for people: each message is a file of the data directory, synced before it is acknowledged. */
export class Queues {
  readonly #queues: ReadonlyMap<string, Queue>
  readonly #files: DurableFiles

  private constructor(queues: readonly Queue[], files: DurableFiles) {
    this.#queues = new Map(queues.map(queue => [queue.name, queue]))
    this.#files = files
  }

  static async open(
    root: string,
    definitions: readonly QueueDefinition[],
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<Queues> {
    await files.makeFolder(root)
    const queues = await Promise.all(
      definitions.map(async definition => {
        const folder = join(root, definition.name)
        await files.makeFolder(folder)
        const messages = await readRecords(files, folder, messageSchema, log)
        const oldestFirst = messages.toSorted((a, b) => a.sentAt - b.sentAt)
        const byId = new Map(oldestFirst.map(message => [message.messageId, message]))
        return { ...definition, folder, messages: byId }
      }),
    )
    return new Queues(queues, files)
  }

  byName(name: string): Queue {
    const queue = this.#queues.get(name)
    if (queue) return queue
    throw new ServiceError('QueueDoesNotExist', `The specified queue does not exist: ${name}`)
  }

  byUrl(url: string): Queue {
    return this.byName(url.split('/').at(-1) ?? '')
  }

  byArn(arn: string): Queue {
    return this.byName(arn.split(':').at(-1) ?? '')
  }

  async send(queue: Queue, body: string): Promise<{ messageId: string }> {
    if (body.length === 0) throw new ServiceError('InvalidMessageContents', 'The message is empty')
    if (Buffer.byteLength(body) > largestMessageBytes)
      throw new ServiceError(
        'InvalidParameterValue',
        `The message is longer than ${largestMessageBytes} bytes`,
      )
    const message: Message = { messageId: randomUUID(), body, sentAt: Date.now() }
    await this.#files.writeWhole(join(queue.folder, `${message.messageId}.json`), JSON.stringify(message))
    queue.messages.set(message.messageId, message)
    await this.#dropExpired(queue, message.sentAt)
    return { messageId: message.messageId }
  }

  async #dropExpired(queue: Queue, now: number): Promise<void> {
    for (const { messageId, sentAt } of queue.messages.values()) {
      if (sentAt >= now - queue.retentionSeconds * 1000) return
      queue.messages.delete(messageId)
      await this.#files.remove(join(queue.folder, `${messageId}.json`))
    }
  }
}
