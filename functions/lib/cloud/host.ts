import type { ItemStore } from '../items/item-table.ts'
import type { Keys } from './keys.ts'
import type { Machines } from './machines.ts'
import type { AssumeRole } from './roles.ts'
import type { ReadSecret } from './secrets.ts'

/** The answer of a function, or what a function that failed leaves in its place. */
type Invocation = { answer: unknown } | { failure: unknown }

/** Calls another function and waits for it. Event and answer are plain JSON. */
export type InvokeFunction = (functionName: string, event: unknown) => Promise<Invocation>

/** What a function's host offers in place of services of AWS. */
export interface Host {
  /** The items of a table, by its name. */
  readonly items: (tableName: string) => ItemStore
  readonly machines: Machines
  readonly keys: Keys
  readonly readSecret: ReadSecret
  readonly invoke: InvokeFunction
  readonly assumeRole: AssumeRole
}

const HOST = Symbol.for('millrace.host')
const place = globalThis as { [HOST]?: Partial<Host> }

/** How a thread on one machine reaches its host. In Lambda there is none. */
export const host = (): Partial<Host> => place[HOST] ?? {}

export const giveHost = (given: Partial<Host>): void => {
  place[HOST] = given
}
