import { z } from 'zod'
import { longestSeconds, type State } from './state-schema.ts'

/**
 * A Wait that may end early: its seconds are the `waitSeconds` of a step's result, which may name beside them, as
 * `waitsFor`, the executions that it waits for.
 *
 * In the cloud such a wait lasts its time. Here it ends with the first of these executions, since the process knows when.
 */
export interface EarlyWait {
  /** Names of the members that lead from the state's input to the result of the step. */
  readonly result: readonly string[]
}

const secondsOfStep = /^\$((?:\.\w+)*)\.waitSeconds$/

/** The state as an early wait, or nothing when it has to last its time. */
export const asEarlyWait = (state: State): EarlyWait | undefined => {
  if (state.Type !== 'Wait' || state.InputPath !== undefined) return undefined
  const path = state.SecondsPath?.match(secondsOfStep)?.[1]
  return path === undefined ? undefined : { result: path.split('.').slice(1) }
}

/** The interpreter can end a task when it likes, but no Wait. */
export const waitAsTask = ({
  SecondsPath: _,
  ...wait
}: Record<string, unknown>): Record<string, unknown> => ({
  ...wait,
  Type: 'Task',
  Resource: 'wait',
  ResultPath: null,
  TimeoutSeconds: longestSeconds,
})

const askedWait = z.object({
  waitSeconds: z.number().int().min(0).max(longestSeconds),
  /** Names of executions. */
  waitsFor: z.array(z.string()).default([]),
})
export type AskedWait = z.infer<typeof askedWait>

/** What the step asked for. Throws `States.Runtime`, which nothing catches. */
export const readAskedWait = ({ result }: EarlyWait, input: unknown): AskedWait => {
  const read = askedWait.safeParse(result.reduce(memberOf, input))
  if (read.success) return read.data
  throw Object.assign(new Error(`The wait cannot be read: ${z.prettifyError(read.error)}`), {
    name: 'States.Runtime',
    isCatchable: false,
    isRetryable: false,
  })
}

const ending = z.object({ alsoEnded: z.array(z.string()) })

/** Names of the executions that the result of a step ended beside its own. */
export const endedBy = (result: unknown): readonly string[] => {
  const read = ending.safeParse(result)
  return read.success ? read.data.alsoEnded : []
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
