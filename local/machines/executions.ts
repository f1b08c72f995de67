import { randomUUID } from 'node:crypto'
import type { AskedWait } from '#lib/asked-wait.ts'
import { ServiceError } from '../runtime/service-error.ts'
import { arn } from '../s3/account.ts'
import { checkInput, checkName } from './check-start.ts'
import { describeEnd } from './describe-end.ts'
import { type Call, type DriveEnd, drive } from './drive.ts'
import { EndWatch } from './end-watch.ts'
import { Ends, type TellEnd } from './ends.ts'
import type { EndedExecution, ExecutionRecord, ExecutionStore, RunningExecution } from './execution-store.ts'

/** A state machine of the system, and who does its work here. */
export interface StateMachine {
  readonly arn: string
  readonly name: string
  readonly step: Call
  readonly poll: Call
  readonly partsAtOnce: number
  readonly isLong: boolean
  readonly longestSeconds: number
}

/** How an execution ended. */
type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: string }
  | {
      readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'
      readonly error?: string | undefined
      readonly cause?: string | undefined
    }

const outcomeOf = (end: DriveEnd): Outcome =>
  end.status === 'SUCCEEDED' ? { ...end, output: JSON.stringify(end.output) ?? 'null' } : end

interface ExecutionsOptions {
  readonly store: ExecutionStore
  readonly machines: readonly StateMachine[]
  /** Default: nobody is told. */
  readonly tellEnd?: TellEnd
  readonly log: (message: string) => void
  /** Whether the executions that steps wait for run here, so that their ends are seen. Default: they may run elsewhere. */
  readonly seesAllEnds?: boolean
  /** See `Ends`. */
  readonly pauseMs?: number
}

/** Runs state machines and keeps a durable record of each execution. Side by side they are not bounded: most wait, and functions have bounds. */
export class Executions {
  readonly #options: ExecutionsOptions
  readonly #machines: ReadonlyMap<string, StateMachine>
  readonly #running = new Map<string, Running>()
  readonly #starting = new Map<string, Promise<RunningExecution>>()
  readonly #watch = new EndWatch()
  readonly #ends: Ends
  readonly #calls = new Map<string, string[]>()
  #isClosed = false

  constructor(options: ExecutionsOptions) {
    this.#options = options
    this.#ends = new Ends(options)
    this.#machines = new Map(options.machines.map(machine => [machine.arn, machine]))
  }

  machine(stateMachineArn: string): StateMachine {
    const machine = this.#machines.get(stateMachineArn)
    if (machine) return machine
    throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`)
  }

  /**
   * Starts an execution; returns once its record would survive a kill. After `close` the next start runs it.
   *
   * A name is used once: the same name and input while that execution runs gives the same execution, anything else
   * `ExecutionAlreadyExists` (Step Functions API Reference, "StartExecution").
   */
  async start(stateMachineArn: string, input = '{}', name: string = randomUUID()): Promise<RunningExecution> {
    const machine = this.machine(stateMachineArn)
    checkName(name)
    checkInput(input)
    const executionArn = executionArnOf(machine, name)

    const underWay = this.#starting.get(executionArn)
    if (underWay) await underWay
    const existing = this.#options.store.get(executionArn)
    if (existing) {
      if (existing.status === 'RUNNING' && isSameJson(existing.input, input)) return existing
      throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`)
    }

    const record: RunningExecution = {
      executionArn,
      stateMachineArn,
      name,
      input,
      startDate: new Date().toISOString(),
      status: 'RUNNING',
    }
    const starting = this.#options.store.put(record).then(() => record)
    this.#starting.set(executionArn, starting)
    try {
      await starting
    } finally {
      this.#starting.delete(executionArn)
    }
    if (!this.#isClosed) this.#run(machine, record)
    return record
  }

  /**
   * Takes up what was under way when the process ended.
   *
   * An execution begins again from its first state, with the same name, input and start time. That is safe because
   * every step of every machine is idempotent: each is delivered at least once in the cloud, too.
   */
  resume(): number {
    this.#ends.resume()
    const interrupted = this.#options.store.all().filter(record => record.status === 'RUNNING')
    for (const record of interrupted) {
      const machine = this.#machines.get(record.stateMachineArn)
      if (machine) this.#run(machine, record)
      else
        this.#end({
          ...record,
          status: 'ABORTED',
          stopDate: new Date().toISOString(),
          error: 'StateMachineDoesNotExist',
          cause: 'The system no longer has the state machine of this execution',
        }).catch(error => this.#options.log(unrecorded(record, error)))
    }
    return interrupted.length
  }

  find = (executionArn: string): ExecutionRecord | undefined => this.#options.store.get(executionArn)

  describe(executionArn: string): ExecutionRecord {
    const record = this.find(executionArn)
    if (record) return record
    throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`)
  }

  /** What it called in this process, oldest first, for those who watch. Of ended executions only the last are remembered. */
  calls(executionArn: string): readonly string[] {
    this.describe(executionArn)
    return this.#calls.get(executionArn) ?? []
  }

  /** Newest first. */
  list(stateMachineArn: string): ExecutionRecord[] {
    this.machine(stateMachineArn)
    return this.#options.store
      .all()
      .filter(record => record.stateMachineArn === stateMachineArn)
      .reverse()
  }

  /** Aborts an execution; a function that runs for it runs to its own end, as in the cloud. */
  async stop(executionArn: string, error?: string, cause?: string): Promise<EndedExecution> {
    const record = this.describe(executionArn)
    if (record.status !== 'RUNNING') return record
    const { end, ended } = this.#underWay(executionArn)
    end({ status: 'ABORTED', error, cause })
    return ended
  }

  /** Resolves when the execution has ended. */
  async finished(executionArn: string): Promise<EndedExecution> {
    const record = this.describe(executionArn)
    return record.status === 'RUNNING' ? this.#underWay(executionArn).ended : record
  }

  #underWay(executionArn: string): Running {
    const running = this.#running.get(executionArn)
    if (running) return running
    throw new ServiceError('ExecutionDoesNotExist', `It is not under way: '${executionArn}'`)
  }

  /** Leaves what is under way to the next start: its records stay `RUNNING`. */
  close(): void {
    this.#isClosed = true
    this.#ends.close()
    for (const { over } of this.#running.values()) over.abort()
    this.#running.clear()
  }

  #noteCalls(executionArn: string): string[] {
    const calls: string[] = []
    this.#calls.set(executionArn, calls)
    for (const known of this.#calls.keys()) {
      if (this.#calls.size <= EXECUTIONS_NOTED) break
      if (!this.#running.has(known)) this.#calls.delete(known)
    }
    return calls
  }

  #run(machine: StateMachine, record: RunningExecution): void {
    const over = new AbortController()
    const cutOff = Promise.withResolvers<Outcome>()
    const end = (outcome: Outcome): void => {
      over.abort()
      cutOff.resolve(outcome)
    }
    const timer = setTimeout(
      () => end({ status: 'TIMED_OUT', error: 'States.Timeout' }),
      // Of this process: what was under way when a machine was switched off goes on.
      machine.longestSeconds * 1000,
    ).unref()
    const driven = this.#drive(machine, record, over.signal).then(outcomeOf)
    const ended = Promise.race([driven, cutOff.promise]).then(async outcome => {
      over.abort()
      clearTimeout(timer)
      const finished = { ...record, stopDate: new Date().toISOString(), ...outcome } as EndedExecution // By its status.
      await this.#end(finished)
      return finished
    })
    // Nobody waiting for the end must not end the process.
    ended.catch(error => this.#options.log(unrecorded(record, error)))
    this.#running.set(record.executionArn, { over, end, ended })
  }

  /** Goes no further once the signal is aborted. */
  #drive(machine: StateMachine, record: RunningExecution, signal: AbortSignal): Promise<DriveEnd> {
    const calls = this.#noteCalls(record.executionArn)
    const seen = new Set<string>()
    const whileUnderWay =
      (call: Call): Call =>
      async event => {
        if (signal.aborted) return never()
        const result = await call(event)
        for (const name of alsoEndedBy(result)) this.#watch.wake(name)
        return signal.aborted ? never() : result
      }
    return drive({
      input: JSON.parse(record.input),
      execution: record.executionArn,
      since: record.startDate,
      step: whileUnderWay(machine.step),
      poll: whileUnderWay(machine.poll),
      partsAtOnce: machine.partsAtOnce,
      isLong: machine.isLong,
      wait: asked => this.#wait(asked, { seen, signal }),
      onCall: name => {
        if (calls.length < CALLS_NOTED) calls.push(name)
      },
    })
  }

  /** @param seen ends that the execution has seen. They wake it once: what it waits for may be over and not be done. */
  async #wait(asked: AskedWait, { seen, signal }: { seen: Set<string>; signal: AbortSignal }): Promise<void> {
    const waitsFor = (asked.waitsFor ?? []).filter(name => !seen.has(name))
    const isSeen = this.#options.seesAllEnds === true && waitsFor.length > 0
    const waitSeconds = Math.max(asked.waitSeconds, isSeen ? NAMED_WAIT_SECONDS : 0)
    if (waitSeconds > 0 && !waitsFor.some(name => this.#hasEnded(name)))
      await this.#watch.wait({ waitSeconds, waitsFor }, signal)
    for (const name of waitsFor) if (this.#hasEnded(name)) seen.add(name)
  }

  #hasEnded(name: string): boolean {
    if (this.#watch.hasEnded(name)) return true
    return [...this.#machines.values()].some(machine => {
      const record = this.#options.store.get(executionArnOf(machine, name))
      return record !== undefined && record.status !== 'RUNNING'
    })
  }

  async #end(ended: EndedExecution): Promise<void> {
    await this.#ends.record(ended)
    this.#running.delete(ended.executionArn)
    this.#watch.wake(ended.name)
    const line = describeEnd(ended)
    if (line !== undefined) this.#options.log(line)
  }
}

const executionArnOf = (machine: StateMachine, name: string): string =>
  arn('states', `execution:${machine.name}:${name}`)

/**
 * A wait that ends with an execution which runs here lasts so long at least: to look more often finds nothing. An end is
 * missed only by what was done along with a load whose function died before it could say so.
 */
const NAMED_WAIT_SECONDS = 30

const EXECUTIONS_NOTED = 200
const CALLS_NOTED = 10_000

interface Running {
  /** Aborted when it goes no further. */
  readonly over: AbortController
  readonly end: (outcome: Outcome) => void
  readonly ended: Promise<EndedExecution>
}

/** Of what was cut off: nobody hears of it any more. */
const never = (): Promise<never> => new Promise(() => {})

/** Names of the executions that a step ended beside its own. */
const alsoEndedBy = (answer: unknown): readonly string[] =>
  (answer as { alsoEnded?: string[] } | null)?.alsoEnded ?? [] // As a step answers.

const unrecorded = ({ name }: ExecutionRecord, error: unknown): string =>
  `${name}: its end could not be recorded: ${error}`

const isSameJson = (left: string, right: string): boolean =>
  JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right))
