import type { MessagePort } from 'node:worker_threads'
import type { Items } from '#lib/items/host-items.ts'
import type { ItemKey, ItemStore } from '#lib/items/item-table.ts'

/** A thread asks for one operation of a table's items. */
interface Asked {
  readonly id: number
  readonly table: string
  readonly operation: keyof ItemStore
  readonly given: readonly unknown[]
}

interface Answered {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly name: string; readonly message: string; readonly errcode?: unknown }
}

/** Whether the thread may do this operation of DynamoDB on items of these partitions. */
type IsAllowed = (operation: string, table: string, partitions: readonly string[]) => boolean

/** Answers a thread at the other end of the port. What it may not do is refused as DynamoDB refuses it. */
export const serveItems = (port: MessagePort, items: Items, isAllowed: IsAllowed): void => {
  const answer = async ({ table, operation, given }: Asked): Promise<unknown> => {
    const action = actionOf(operation, given)
    if (!isAllowed(action, table, partitionsOf(given)))
      throw Object.assign(
        new Error(`The function is not authorized to perform dynamodb:${action} on ${table}`),
        {
          name: 'AccessDeniedException',
        },
      )
    const run = items(table)[operation] as (...args: readonly unknown[]) => Promise<unknown>
    return run(...given)
  }
  port.on('message', (asked: Asked) => {
    answer(asked).then(
      result => port.postMessage({ id: asked.id, result } satisfies Answered),
      (error: unknown) => port.postMessage({ id: asked.id, error: plain(error) } satisfies Answered),
    )
  })
  // The thread keeps the process alive while it works, not its port.
  port.unref()
}

const actionOf = (operation: keyof ItemStore, [, attributes]: readonly unknown[]): string => {
  if (operation === 'swap') return attributes === undefined ? 'DeleteItem' : 'PutItem'
  return {
    get: 'GetItem',
    getMany: 'BatchGetItem',
    putAll: 'BatchWriteItem',
    update: 'UpdateItem',
    page: 'Query',
  }[operation]
}

/** The partitions that an operation names. */
export const partitionsOf = ([first]: readonly unknown[]): string[] => {
  if (typeof first === 'string') return [first]
  return [first as ItemKey | ItemKey[]].flat().map(({ pk }) => pk) // as the operations of a store have it
}

const plain = (error: unknown): Answered['error'] =>
  error instanceof Error
    ? { name: error.name, message: error.message, ...('errcode' in error && { errcode: error.errcode }) }
    : { name: 'Error', message: String(error) }

/** The items at the other end of the port. */
export const itemsOver = (port: MessagePort): Items => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  port.on('message', ({ id, result, error }: Answered) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(Object.assign(new Error(error.message), error))
    else asked?.resolve(result)
  })
  return table => {
    const ask =
      (operation: keyof ItemStore) =>
      (...given: unknown[]): Promise<never> => {
        const asked = Promise.withResolvers<unknown>()
        const id = ++last
        waiting.set(id, asked)
        port.postMessage({ id, table, operation, given } satisfies Asked)
        return asked.promise as Promise<never> // of this operation
      }
    return {
      get: ask('get'),
      getMany: ask('getMany'),
      swap: ask('swap'),
      putAll: ask('putAll'),
      update: ask('update'),
      page: ask('page'),
    }
  }
}
