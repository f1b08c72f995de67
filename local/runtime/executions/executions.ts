import { randomUUID } from 'node:crypto'
import { arn } from '../resources/resource-type.ts'
import { ServiceError } from '../service-error.ts'
import { untilThereIsRoom } from '../until-there-is-room.ts'
import { executionContextName, largestDataBytes, type StateMachine } from './definition.ts'
import { describeEnd } from './describe-end.ts'
import { type AskedWait, endedBy } from './early-wait.ts'
import { EndWatch } from './end-watch.ts'
import type { EndedExecution, ExecutionRecord, ExecutionStore, RunningExecution } from './execution-store.ts'
import { type EnteredState, type RunningMachine, runMachine, type TaskContext } from './run-machine.ts'

interface ExecutionsOptions {
  readonly store: ExecutionStore
  readonly machines: readonly StateMachine[]
  /** Runs one Task; rejects with an error whose name Step Functions matches. */
  readonly runTask: (resource: string, input: unknown, context: TaskContext) => Promise<unknown>
  /** Delivers the event of an execution that began or ended; at least once, after a restart too. Default: nobody listens. */
  readonly announce?: (record: ExecutionRecord) => Promise<void>
  /** Whether anybody listens to this event. Default: to those of executions that did not succeed. */
  readonly isHeard?: (record: ExecutionRecord) => boolean
  readonly log: (message: string) => void
  /** Whether the executions that steps wait for run here, so that their ends are seen. Default: they may run elsewhere. */
  readonly seesAllEnds?: boolean
  /** How long to wait before a record is tried again that did not fit on the disk. */
  readonly fullDiskPauseMs?: number
}

/**
 * Runs state machines and keeps a durable record of each execution.
 *
 * Executions side by side are not bounded: most of them wait, and the functions that they call have bounds of their own.
 */
export class Executions {
  readonly #options: ExecutionsOptions
  readonly #machines: ReadonlyMap<string, StateMachine>
  readonly #running = new Map<string, { machine: RunningMachine; ended: Promise<EndedExecution> }>()
  readonly #starting = new Map<string, Promise<RunningExecution>>()
  readonly #ends = new EndWatch()
  readonly #histories = new Map<string, EnteredState[]>()
  #isClosed = false

  constructor(options: ExecutionsOptions) {
    this.#options = options
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
    for (const record of this.#options.store.all())
      if (record.status !== 'RUNNING' && record.isUnannounced)
        this.#announce(record).catch(error => this.#options.log(unrecorded(record, error)))
    const interrupted = this.#options.store.all().filter(record => record.status === 'RUNNING')
    for (const record of interrupted) {
      const machine = this.#machines.get(record.stateMachineArn)
      if (machine) this.#run(machine, record)
      else
        this.#recordEnd({
          ...record,
          status: 'ABORTED',
          stopDate: new Date().toISOString(),
          error: 'StateMachineDoesNotExist',
          cause: 'The stack no longer has the state machine of this execution',
        }).catch(error => this.#options.log(unrecorded(record, error)))
    }
    return interrupted.length
  }

  find(executionArn: string): ExecutionRecord | undefined {
    return this.#options.store.get(executionArn)
  }

  describe(executionArn: string): ExecutionRecord {
    const record = this.find(executionArn)
    if (record) return record
    throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`)
  }

  /**
   * The states that it entered in this process, oldest first. Of ended executions only the last ones are remembered, and
   * none over a restart: the history is for those who watch.
   */
  history(executionArn: string): readonly EnteredState[] {
    this.describe(executionArn)
    return this.#histories.get(executionArn) ?? []
  }

  /** Newest first. */
  list(stateMachineArn: string, status?: string): ExecutionRecord[] {
    this.machine(stateMachineArn)
    return this.#options.store
      .all()
      .filter(record => record.stateMachineArn === stateMachineArn && (!status || record.status === status))
      .reverse()
  }

  /** Aborts an execution; a function that runs for it runs to its own end, as in the cloud. */
  async stop(executionArn: string, error?: string, cause?: string): Promise<EndedExecution> {
    const record = this.describe(executionArn)
    if (record.status !== 'RUNNING') return record
    const running = this.#running.get(executionArn)
    if (!running) throw new ServiceError('ExecutionDoesNotExist', `It is not under way: '${executionArn}'`)
    running.machine.abort({ error, cause })
    return running.ended
  }

  /** Resolves when the execution has ended. */
  async finished(executionArn: string): Promise<EndedExecution> {
    const record = this.describe(executionArn)
    if (record.status !== 'RUNNING') return record
    const running = this.#running.get(executionArn)
    if (!running) throw new ServiceError('ExecutionDoesNotExist', `It is not under way: '${executionArn}'`)
    return running.ended
  }

  /** Leaves what is under way to the next start: its records stay `RUNNING`. */
  close(): void {
    this.#isClosed = true
    for (const { machine } of this.#running.values()) machine.abandon()
    this.#running.clear()
  }

  #noteHistory(executionArn: string): EnteredState[] {
    const history: EnteredState[] = []
    this.#histories.set(executionArn, history)
    for (const known of this.#histories.keys()) {
      if (this.#histories.size <= HISTORIES_KEPT) break
      if (!this.#running.has(known)) this.#histories.delete(known)
    }
    return history
  }

  #run(machine: StateMachine, record: RunningExecution): void {
    if (this.#isHeard(record))
      this.#options.announce?.(record).catch(error => {
        this.#options.log(`${record.name}: the event of its beginning was not delivered: ${String(error)}`)
      })
    const history = this.#noteHistory(record.executionArn)
    const seen = new Set<string>()
    const running = runMachine({
      machine,
      record,
      contextName: executionContextName,
      runTask: async (...task) => {
        const result = await this.#options.runTask(...task)
        for (const name of endedBy(result)) this.#ends.wake(name)
        return result
      },
      wait: (asked, signal) => this.#wait(asked, { seen, signal }),
      onStateEntered: state => {
        if (history.length < STATES_KEPT) history.push(state)
      },
    })
    const ended = running.outcome.then(async outcome => {
      const finished: EndedExecution = { ...record, stopDate: new Date().toISOString(), ...outcome }
      await this.#recordEnd(finished)
      this.#running.delete(record.executionArn)
      this.#ends.wake(record.name)
      const line = describeEnd(finished)
      if (line !== undefined) this.#options.log(line)
      return finished
    })
    // Who waits for the end hears of it; nobody waiting must not end the process.
    ended.catch(error => this.#options.log(unrecorded(record, error)))
    this.#running.set(record.executionArn, { machine: running, ended })
  }

  /** @param seen ends that the execution has seen. They wake it once: what it waits for may be over and not be done. */
  async #wait(asked: AskedWait, { seen, signal }: { seen: Set<string>; signal: AbortSignal }): Promise<void> {
    const waitsFor = asked.waitsFor.filter(name => !seen.has(name))
    const isSeen = this.#options.seesAllEnds === true && waitsFor.length > 0
    const waitSeconds = Math.max(asked.waitSeconds, isSeen ? NAMED_WAIT_SECONDS : 0)
    if (!waitsFor.some(name => this.#hasEnded(name))) await this.#ends.wait({ waitSeconds, waitsFor }, signal)
    for (const name of waitsFor) if (this.#hasEnded(name)) seen.add(name)
  }

  #hasEnded(name: string): boolean {
    if (this.#ends.hasEnded(name)) return true
    return [...this.#machines.values()].some(machine => {
      const record = this.#options.store.get(executionArnOf(machine, name))
      return record !== undefined && record.status !== 'RUNNING'
    })
  }

  #isHeard(record: ExecutionRecord): boolean {
    const isFailure = record.status !== 'RUNNING' && record.status !== 'SUCCEEDED'
    return this.#options.announce !== undefined && (this.#options.isHeard?.(record) ?? isFailure)
  }

  async #recordEnd(finished: EndedExecution): Promise<void> {
    if (!this.#isHeard(finished)) return this.#store(finished)
    await this.#store({ ...finished, isUnannounced: true })
    await this.#announce(finished)
  }

  /** An event that nobody takes now is kept for the next start. */
  async #announce(finished: EndedExecution): Promise<void> {
    const { isUnannounced: _, ...announced } = { isUnannounced: undefined, ...finished }
    try {
      await this.#options.announce?.(announced)
    } catch (error) {
      this.#options.log(`${finished.name}: the event of its end was not delivered: ${String(error)}`)
      return
    }
    await this.#store(announced)
  }

  /** What has happened stays true on a full disk: it is recorded when there is room again, or the next start repeats it. */
  #store(finished: EndedExecution): Promise<void> {
    return untilThereIsRoom(() => this.#options.store.put(finished), {
      onWait: error => this.#options.log(`${unrecorded(finished, error)}; trying until there is room`),
      isOver: () => this.#isClosed,
      pauseMs: this.#options.fullDiskPauseMs,
    })
  }
}

const executionArnOf = (machine: StateMachine, name: string): string =>
  arn('states', `execution:${machine.name}:${name}`)

/**
 * A wait that ends with an execution which runs here lasts so long at least: to look more often finds nothing. An end is
 * missed only by what was done along with a load whose function died before it could say so.
 */
const NAMED_WAIT_SECONDS = 30

const HISTORIES_KEPT = 200
/** Step Functions ends an execution whose history is longer (Developer Guide, "Quotas"). */
const STATES_KEPT = 25_000

const unrecorded = ({ name }: ExecutionRecord, error: unknown): string =>
  `${name}: its end could not be recorded: ${String(error)}`

/** Step Functions API Reference, "StartExecution": 1 to 80 characters, and none of these. */
const checkName = (name: string) => {
  const isValid = name.length <= 80 && /^[^\p{Cc}\s<>{}[\]?*"#%\\^|~`$&,;:/]+$/u.test(name)
  if (!isValid) throw new ServiceError('InvalidName', `Invalid Name: '${name}'`)
}

const checkInput = (input: string) => {
  if (Buffer.byteLength(input) > largestDataBytes)
    throw new ServiceError('InvalidExecutionInput', `The input is longer than ${largestDataBytes} bytes`)
  try {
    JSON.parse(input)
  } catch (error) {
    throw new ServiceError('InvalidExecutionInput', `Invalid State Machine Execution Input: ${String(error)}`)
  }
}

const isSameJson = (left: string, right: string): boolean =>
  JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right))
