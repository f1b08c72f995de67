import type { Host } from '#lib/cloud/host.ts'
import type { Machines } from '#lib/cloud/machines.ts'

/** Asks the other side for an operation, such as `machines.start`. */
export type Ask = (operation: string, ...given: readonly unknown[]) => Promise<never>

type Run = (...given: readonly unknown[]) => unknown

export type Operations = Readonly<Record<string, Run>>

interface Message {
  readonly id: number
  /** Of what is asked; without it the message is an answer. */
  readonly operation?: string
  readonly given?: readonly unknown[]
  readonly result?: unknown
  /** Of what an error carries besides, codes are all that is read. */
  readonly error?: { readonly name: string; readonly message: string; code?: unknown; errcode?: unknown }
}

/** A child process, or this process of its parent. */
interface End {
  // biome-ignore lint/suspicious/noExplicitAny: Node's types do not say what comes; the other side sends messages alone.
  on(name: 'message', listener: (message: any) => void): unknown
  send?(message: Message, handle: undefined, options: undefined, sent: () => void): unknown
}

/** Answers the process at the other end, and asks it. */
export const connect = (end: End, operations: Operations | Promise<Operations>) => {
  // Whoever waits for an answer of a process that has ended hears of its end.
  const send = (message: Message): void => void end.send?.(message, undefined, undefined, () => {})
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  let reason: Error | undefined
  const run = async (operation: string, given: readonly unknown[]): Promise<unknown> => {
    const found = (await operations)[operation]
    if (!found) throw new Error(`This side knows no ${operation}`)
    return found(...given)
  }
  end.on('message', ({ id, operation, given = [], result, error }: Message) => {
    if (operation !== undefined)
      return void run(operation, given)
        .then(result => send({ id, result }))
        .catch((error: unknown) => send({ id, error: plain(error) }))
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(Object.assign(new Error(error.message), error))
    else asked?.resolve(result)
  })
  const ask: Ask = async (operation, ...given) => {
    if (reason) throw reason
    const asked = Promise.withResolvers<unknown>()
    const id = ++last
    waiting.set(id, asked)
    send({ id, operation, given })
    return asked.promise as Promise<never> // of this operation
  }
  return {
    ask,
    /** Nobody is at the other end any more: what is asked fails so. */
    cut: (why: Error): void => {
      reason ??= why
      for (const { reject } of waiting.values()) reject(why)
      waiting.clear()
    },
  }
}

const plain = (error: unknown): Message['error'] => {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, code, errcode }: Error & { code?: unknown; errcode?: unknown } = error
  return { name, message, ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) }
}

const rooms = {
  items: ['get', 'getMany', 'page', 'swap', 'putAll', 'update', 'transact'],
  machines: ['start', 'describe', 'stop', 'list'],
  keys: ['encrypt', 'dataKey', 'decrypt'],
} as const satisfies Partial<Record<keyof Host, readonly string[]>>

const alone = ['readSecret', 'invoke', 'assumeRole'] as const satisfies readonly (keyof Host)[]

/** The operations of a host, by the names that `hostOver` asks for. Those of items are given the table first. */
export const operationsOf = (host: Host): Operations => {
  const on = (room: object, name: string): Run => {
    const methods = room as Record<string, Run> // What hostOver sends is what they take.
    return (...given) => methods[name]?.(...given)
  }
  return Object.fromEntries([
    ...rooms.items.map(name => [
      `items.${name}`,
      (table: string, ...given: readonly unknown[]) => on(host.items(table), name)(...given),
    ]),
    ...rooms.machines.map(name => [`machines.${name}`, on(host.machines, name)]),
    ...rooms.keys.map(name => [`keys.${name}`, on(host.keys, name)]),
    ...alone.map(name => [name, on(host, name)]),
  ])
}

/** The host that the other side is. */
export const hostOver = (ask: Ask): Host => {
  const asking = <Room extends object>(name: keyof typeof rooms, ...before: readonly unknown[]): Room =>
    Object.fromEntries(
      rooms[name].map(operation => [
        operation,
        (...given: readonly unknown[]) => ask(`${name}.${operation}`, ...before, ...given),
      ]),
    ) as Room // of these operations
  const machines = asking<Machines>('machines')
  return {
    items: table => asking('items', table),
    // An error loses its code on the way.
    machines: { ...machines, stop: (run, { code, message }) => machines.stop(run, { code, message }) },
    keys: asking('keys'),
    readSecret: (...given) => ask('readSecret', ...given),
    invoke: (...given) => ask('invoke', ...given),
    assumeRole: (...given) => ask('assumeRole', ...given),
  }
}
