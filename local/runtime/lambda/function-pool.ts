import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createTurns, type TakeTurn } from '#lib/turns.ts'
import { within } from '../../within.ts'
import { Container, type ContainerOptions } from './container.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { invocationError } from './function-error.ts'
import type { Lull } from './lull.ts'
import { OPERATOR } from './owner-of.ts'

/** Lambda quotas: request and response of a synchronous invocation. */
const largestPayloadBytes = 6 * 1024 * 1024

/** A container that was idle this long is ended, to free its memory. */
const idleMs = 5 * 60_000

interface FunctionPoolOptions extends Pick<ContainerOptions, 'environment' | 'host' | 'onOutput'> {
  readonly definition: FunctionDefinition
  /** Folder for the containers' own `/tmp`. */
  readonly temporaryRoot: string
  /** Shared by all functions of the machine. */
  readonly lull: Lull
}

/**
 * All containers of one function. Warm ones are reused, the last used first; more than run side by side wait. A place is kept for others
 * than any one token, however long its work hangs; only the operator's may take all.
 */
export class FunctionPool {
  readonly #options: FunctionPoolOptions
  readonly #takeTurn: TakeTurn
  readonly #idle: Container[] = []
  readonly #all = new Set<Container>()
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(options: FunctionPoolOptions) {
    this.#options = options
    const most = options.definition.concurrency
    this.#takeTurn = createTurns({
      most,
      mostOf: owner => (owner === OPERATOR ? most : Math.max(1, most - 1)),
    })
  }

  /** Invokes the function. Event and result pass through JSON, as they do between services. */
  async invoke(event: unknown, owner: string): Promise<unknown> {
    const eventJson = JSON.stringify(event) ?? 'null'
    if (Buffer.byteLength(eventJson) > largestPayloadBytes)
      throw invocationError(
        'Lambda.RequestTooLargeException',
        `${Buffer.byteLength(eventJson)} byte payload is too large for the RequestResponse invocation type (limit ${largestPayloadBytes} bytes)`,
      )
    const invocation = this.#invokeInTurn(eventJson, owner)
    this.#underWay.add(invocation)
    try {
      const resultJson = await invocation
      if (Buffer.byteLength(resultJson) > largestPayloadBytes)
        throw invocationError(
          'Function.ResponseSizeTooLarge',
          `Response payload size exceeded maximum allowed payload size (${largestPayloadBytes} bytes).`,
        )
      return JSON.parse(resultJson)
    } finally {
      this.#underWay.delete(invocation)
    }
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#options.environment
  }

  /** Makes one container, if there is none, and loads its bundle before the first invocation. */
  async warm(): Promise<void> {
    if (this.#all.size > 0 || this.#underWay.size > 0) return
    await this.#takeTurn(OPERATOR, () => this.#withContainer(container => container.load()))
  }

  /** Tells running invocations to stop, waits up to `graceMs` for them, then ends every container. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    for (const container of this.#all) container.stop()
    await within(graceMs, Promise.allSettled(this.#underWay))
    await Promise.all([...this.#all].map(container => container.terminate()))
  }

  async #invokeInTurn(eventJson: string, owner: string): Promise<string> {
    const { definition, lull } = this.#options
    const begins = definition.isHeavy ? undefined : lull.lightWaits()
    if (definition.isHeavy) await lull.wait()
    return this.#takeTurn(owner, () => {
      begins?.()
      return this.#withContainer(container => container.invoke(eventJson, definition.timeoutSeconds))
    })
  }

  async #withContainer<Result>(run: (container: Container) => Promise<Result>): Promise<Result> {
    const container = await this.#take()
    try {
      return await run(container)
    } finally {
      // The place is free when a process that has to end has ended.
      if (!container.isUsable || this.#isClosed) await container.terminate()
      else {
        container.rest(idleMs)
        this.#idle.push(container)
      }
    }
  }

  async #take(): Promise<Container> {
    if (this.#isClosed) throw invocationError('Lambda.ServiceException', 'The runtime is shutting down')
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.isUsable) return idle
    const { definition, temporaryRoot, ...options } = this.#options
    const { codeFolder, memoryMiB } = definition
    const temporary = join(temporaryRoot, randomUUID())
    const container = await Container.start({ ...options, codeFolder, memoryMiB, temporary }).catch(error => {
      // A full disk, say: the machine that invokes it tries again later.
      const noFolder = `The function has no temporary folder: ${String(error)}`
      throw invocationError('Lambda.ServiceException', noFolder)
    })
    this.#all.add(container)
    void container.exited.then(() => this.#all.delete(container))
    return container
  }
}
