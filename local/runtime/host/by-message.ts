import type { MessagePort } from 'node:worker_threads'
import type { Host } from '#lib/cloud/host.ts'

/** A thread asks for one operation, such as `machines.start`. */
interface Asked {
  readonly id: number
  readonly operation: string
  readonly given: readonly unknown[]
}

interface Answered {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly name: string; readonly message: string; readonly errcode?: unknown }
}

export type Answer = (operation: string, given: readonly unknown[]) => Promise<unknown>

/** Answers the thread at the other end of the port. */
export const answerThread = (port: MessagePort, answer: Answer): void => {
  port.on('message', ({ id, operation, given }: Asked) => {
    answer(operation, given).then(
      result => port.postMessage({ id, result } satisfies Answered),
      (error: unknown) => port.postMessage({ id, error: plain(error) } satisfies Answered),
    )
  })
  // The thread keeps the process alive while it works, not its port.
  port.unref()
}

const plain = (error: unknown): Answered['error'] =>
  error instanceof Error
    ? { name: error.name, message: error.message, ...('errcode' in error && { errcode: error.errcode }) }
    : { name: 'Error', message: String(error) }

/** The host at the other end of the port. */
export const hostOver = (port: MessagePort): Host => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  port.on('message', ({ id, result, error }: Answered) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(Object.assign(new Error(error.message), error))
    else asked?.resolve(result)
  })
  const ask =
    (operation: string, ...before: readonly unknown[]) =>
    (...given: readonly unknown[]): Promise<never> => {
      const asked = Promise.withResolvers<unknown>()
      const id = ++last
      waiting.set(id, asked)
      port.postMessage({ id, operation, given: [...before, ...given] } satisfies Asked)
      return asked.promise as Promise<never> // of this operation
    }
  return {
    items: table => ({
      get: ask('items.get', table),
      getMany: ask('items.getMany', table),
      swap: ask('items.swap', table),
      putAll: ask('items.putAll', table),
      update: ask('items.update', table),
      transact: ask('items.transact', table),
      getTogether: ask('items.getTogether', table),
      page: ask('items.page', table),
    }),
    machines: {
      start: ask('machines.start'),
      describe: ask('machines.describe'),
      // An error loses its code on the way.
      stop: (execution, { code, message }) => ask('machines.stop')(execution, { code, message }),
      list: ask('machines.list'),
    },
    keys: { encrypt: ask('keys.encrypt'), dataKey: ask('keys.dataKey'), decrypt: ask('keys.decrypt') },
    readSecret: ask('readSecret'),
    invoke: ask('invoke'),
    assumeRole: ask('assumeRole'),
  }
}
