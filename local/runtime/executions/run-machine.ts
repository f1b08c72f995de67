import { StateMachine as Interpreter } from 'aws-local-stepfunctions'
import { type RunOptions, runChildren } from './child-executions.ts'
import { largestDataBytes, type StateMachine } from './definition.ts'
import { type AskedWait, readAskedWait } from './early-wait.ts'
import type { RunningExecution } from './execution-store.ts'
import { createHistory, type HistoryEvent, largestHistory } from './history.ts'

/** What a Task may know about the execution that it belongs to. */
export interface TaskContext {
  readonly stateMachine: StateMachine
  readonly executionArn: string
}

/** One step of an execution's history. */
export interface EnteredState {
  readonly name: string
  /** `Task`, `Choice` and so on. */
  readonly type: string
  /** ISO 8601. */
  readonly at: string
}

/** How an execution ended. */
type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'
      readonly error?: string | undefined
      readonly cause?: string | undefined
    }

export interface RunningMachine {
  /** Never rejects; stays open for ever once `abandon` was called. */
  readonly outcome: Promise<Outcome>
  abort(reason: { error?: string | undefined; cause?: string | undefined }): void
  /** Ends the timers without an outcome: the process is about to go, and the execution is not over. */
  abandon(): void
}

/** Runs one execution on the interpreter. */
export const runMachine = ({
  machine,
  record,
  contextName,
  runTask,
  wait,
  onStateEntered,
}: {
  machine: StateMachine
  record: RunningExecution
  contextName: string
  runTask: (resource: string, input: unknown, context: TaskContext) => Promise<unknown>
  /** Resolves when the wait is over; never once the signal is aborted. */
  wait: (asked: AskedWait, signal: AbortSignal) => Promise<void>
  onStateEntered: (state: EnteredState) => void
}): RunningMachine => {
  const { definition } = machine
  const taskContext: TaskContext = { stateMachine: machine, executionArn: record.executionArn }
  const input = JSON.parse(record.input)
  const handlers = [...definition.tasks].map(([state, resource]) => {
    const handler = async (taskInput: unknown) => {
      checkSize(taskInput, `The input of state ${state}`)
      const result = await runTask(resource, taskInput, taskContext)
      checkSize(result, `The output of state ${state}`)
      // What a task gives has been through JSON, in the function's container or in the service's reply.
      return result as never
    }
    return [state, handler] as const
  })

  const over = new AbortController()
  const waits = [...definition.earlyWaits].map(([state, earlyWait]) => {
    const handler = async (waitInput: unknown) => {
      await wait(readAskedWait(earlyWait, waitInput), over.signal)
      return null
    }
    return [state, handler] as const
  })

  let outcomeOfAbort: Outcome | undefined
  let isAbandoned = false
  const children = [...definition.childMaps].map(([name, map]) => {
    const handler = async (mapInput: unknown): Promise<never> =>
      (await runChildren(map, mapInput, { name, options, signal: over.signal, onEvent: noteEvent })) as never
    return [name, handler] as const
  })
  const options: RunOptions = {
    overrides: { taskResourceLocalHandlers: Object.fromEntries([...handlers, ...waits, ...children]) },
    context: {
      [contextName]: {
        Id: record.executionArn,
        Name: record.name,
        Input: input,
        StartTime: record.startDate,
      },
      StateMachine: { Id: machine.arn, Name: machine.name },
      State: {
        // Read when a state reads its input, which is when it is entered.
        get EnteredTime() {
          return new Date().toISOString()
        },
      },
    },
  }
  const cutOff = () => {
    outcomeOfAbort = {
      status: 'FAILED',
      error: 'States.Runtime',
      cause: `The execution reached the maximum number of history events (${largestHistory}).`,
    }
    run.abort()
  }
  const noteEvent = createNotes(definition, { onStateEntered, onFull: cutOff })
  // The definition was validated when the stack was read.
  const run = new Interpreter(definition.machine, { validationOptions: { noValidate: true } }).run(
    input,
    options,
  )
  void readAll(run.eventLogs, noteEvent)

  const outcome = new Promise<Outcome>(resolve => {
    const settle = (given: Outcome) => {
      over.abort()
      if (!isAbandoned) resolve(outcomeOfAbort ?? given)
    }
    run.result.then(
      output => settle(successOf(output)),
      error => settle(failureOf(error)),
    )
  })

  return {
    outcome,
    abort: reason => {
      outcomeOfAbort = { status: 'ABORTED', ...reason }
      run.abort()
    },
    abandon: () => {
      isAbandoned = true
      over.abort()
      run.abort()
    },
  }
}

/** Reads all events, since the interpreter keeps what nobody reads. */
const readAll = async (
  events: ReturnType<Interpreter['run']>['eventLogs'],
  note: (event: LoggedEvent) => void,
): Promise<void> => {
  for await (const event of events) note(event)
}

type LoggedEvent = HistoryEvent & { readonly timestamp?: number }

/** Takes what happens in an execution and its children, tells of each state that is entered, and of a history that is full. */
const createNotes = (
  { mapOf, earlyWaits, childMaps }: StateMachine['definition'],
  { onStateEntered, onFull }: { onStateEntered: (state: EnteredState) => void; onFull: () => void },
): ((event: LoggedEvent) => void) => {
  const history = createHistory(mapOf)
  /** The interpreter takes an early wait and a distributed Map for a task. */
  const typeOf = ({ name, type }: { name: string; type: string }): string =>
    earlyWaits.has(name) ? 'Wait' : childMaps.has(name) ? 'Map' : type
  return event => {
    const state = event.state && { name: event.state.name, type: typeOf(event.state) }
    if (event.type === 'StateEntered' && state)
      onStateEntered({ ...state, at: new Date(event.timestamp ?? Date.now()).toISOString() })
    if (history.add({ ...event, ...(state && { state }) }) >= largestHistory) onFull()
  }
}

const successOf = (output: unknown): Outcome => {
  const text = JSON.stringify(output) ?? 'null'
  if (Buffer.byteLength(text) <= largestDataBytes) return { status: 'SUCCEEDED', output: text }
  return { status: 'FAILED', ...dataLimit('The output of the execution') }
}

/** The interpreter wraps the error that no state caught. */
const failureOf = (thrown: unknown): Outcome => {
  if (!(thrown instanceof Error)) return { status: 'FAILED', error: 'States.Runtime', cause: String(thrown) }
  if (thrown.name === 'ExecutionTimeoutError') return { status: 'TIMED_OUT', error: 'States.Timeout' }
  const error = thrown.name === 'ExecutionError' && thrown.cause instanceof Error ? thrown.cause : thrown
  return { status: 'FAILED', error: error.name, cause: error.message }
}

const checkSize = (value: unknown, what: string) => {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') <= largestDataBytes) return
  const { error, cause } = dataLimit(what)
  // Developer Guide, "Handling errors in Step Functions workflows": no catcher and no retrier takes this error.
  throw Object.assign(new Error(cause), { name: error, isCatchable: false, isRetryable: false })
}

const dataLimit = (what: string) => ({
  error: 'States.DataLimitExceeded',
  cause: `${what} is longer than ${largestDataBytes} bytes`,
})
