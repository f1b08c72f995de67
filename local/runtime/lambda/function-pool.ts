import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit, { type LimitFunction } from 'p-limit'
import { within } from '../../within.ts'
import { arn } from '../account.ts'
import type { Operations } from '../host/by-message.ts'
import { Container } from './container.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { invocationError } from './function-error.ts'
import type { LogFile } from './log-file.ts'
import type { Lull } from './lull.ts'
import { watchMemory } from './memory-watch.ts'

/** Lambda quotas: request and response of a synchronous invocation. */
const largestPayloadBytes = 6 * 1024 * 1024

/** A container that was idle this long is ended, to free its memory. */
const idleMs = 5 * 60_000

interface FunctionPoolOptions {
  readonly definition: FunctionDefinition
  readonly log: LogFile
  /** Folder for the containers' own `/tmp`. */
  readonly temporaryRoot: string
  /** The function's environment with its current credentials. */
  readonly environment: () => Promise<Record<string, string>>
  /** What a thread may ask of its host. */
  readonly host: Promise<Operations>
  /** Shared by all functions of the machine. */
  readonly lull: Lull
}

interface Warm {
  readonly container: Container
  readonly temporary: string
  idleTimer?: NodeJS.Timeout
  discarded?: Promise<void>
}

/** All containers of one function. Warm ones are reused, the last used first; more than run side by side wait. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions
  readonly #limit: LimitFunction
  readonly #idle: Warm[] = []
  readonly #all = new Set<Warm>()
  /** The `/tmp` of containers that died. As in Lambda, the next one finds it as it was left. */
  readonly #left: string[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(options: FunctionPoolOptions) {
    this.#options = options
    this.#limit = pLimit(options.definition.concurrency)
  }

  /** Invokes the function. Event and result pass through JSON, as they do between services. */
  async invoke(event: unknown): Promise<unknown> {
    const eventJson = JSON.stringify(event) ?? 'null'
    if (Buffer.byteLength(eventJson) > largestPayloadBytes)
      throw invocationError(
        'Lambda.RequestTooLargeException',
        `${Buffer.byteLength(eventJson)} byte payload is too large for the RequestResponse invocation type (limit ${largestPayloadBytes} bytes)`,
      )
    const invocation = this.#invokeInTurn(eventJson)
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

  environment(): Promise<Record<string, string>> {
    return this.#options.environment()
  }

  /** Makes one container, if there is none, and loads its bundle before the first invocation. */
  async warm(): Promise<void> {
    if (this.#all.size > 0 || this.#underWay.size > 0) return
    await this.#limit(async () => {
      const warm = await this.#take()
      await warm.container.load().finally(() => this.#giveBack(warm))
    })
  }

  /** Tells running invocations to stop, waits up to `graceMs` for them, then ends every container. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    for (const { container } of this.#all) container.stop()
    await within(graceMs, Promise.allSettled(this.#underWay))
    await Promise.all([...this.#all].map(warm => this.#discard(warm)))
    await Promise.all(this.#left.map(folder => rm(folder, { recursive: true, force: true })))
  }

  async #invokeInTurn(eventJson: string): Promise<string> {
    const { definition, lull } = this.#options
    if (definition.isHeavy) {
      await lull.wait()
      return this.#limit(() => this.#invokeNow(eventJson))
    }
    const begins = lull.lightWaits()
    return this.#limit(() => {
      begins()
      return this.#invokeNow(eventJson)
    })
  }

  async #invokeNow(eventJson: string): Promise<string> {
    const { name, memoryMiB, timeoutSeconds } = this.#options.definition
    const warm = await this.#take()
    const { container } = warm
    const stopWatching = watchMemory({ memoryBytes: () => container.memoryBytes(), memoryMiB }, error =>
      container.cutOff(error),
    )
    try {
      const context = {
        awsRequestId: randomUUID(),
        functionName: name,
        invokedFunctionArn: arn('lambda', `function:${name}`),
        memoryLimitInMB: String(memoryMiB),
        logGroupName: `/aws/lambda/${name}`,
        logStreamName: 'local',
        deadline: Date.now() + timeoutSeconds * 1000,
      }
      return await container.invoke(eventJson, context, timeoutSeconds)
    } finally {
      stopWatching()
      // The place is free when the thread has ended: the next container may take over its folder.
      if (container.isUsable) this.#giveBack(warm)
      else await this.#discard(warm)
    }
  }

  async #take(): Promise<Warm> {
    if (this.#isClosed) throw invocationError('Lambda.ServiceException', 'The runtime is shutting down')
    const environment = await this.#options.environment()
    const idle = this.#idle.pop()
    if (!idle) return this.#create(environment)
    clearTimeout(idle.idleTimer)
    idle.container.updateEnvironment(environment)
    return idle
  }

  async #create(environment: Record<string, string>): Promise<Warm> {
    const { definition, log, temporaryRoot, host } = this.#options
    const temporary = this.#left.pop() ?? join(temporaryRoot, randomUUID())
    // A full disk, say: the machine that invokes it tries again later.
    await mkdir(temporary, { recursive: true }).catch(error => {
      throw invocationError(
        'Lambda.ServiceException',
        `The function has no temporary folder: ${String(error)}`,
      )
    })
    const container = new Container({
      codeFolder: definition.codeFolder,
      environment: { ...environment, TMPDIR: temporary },
      memoryMiB: definition.memoryMiB,
      host,
      onOutput: chunk => log.write(chunk),
    })
    const warm = { container, temporary }
    this.#all.add(warm)
    void container.exited.then(() => this.#discard(warm))
    return warm
  }

  #giveBack(warm: Warm): void {
    if (!warm.container.isUsable || this.#isClosed) return
    warm.idleTimer = setTimeout(() => this.#discard(warm), idleMs).unref()
    this.#idle.push(warm)
  }

  #discard(warm: Warm): Promise<void> {
    warm.discarded ??= this.#discardNow(warm)
    return warm.discarded
  }

  async #discardNow(warm: Warm): Promise<void> {
    this.#all.delete(warm)
    clearTimeout(warm.idleTimer)
    const at = this.#idle.indexOf(warm)
    if (at >= 0) this.#idle.splice(at, 1)
    const hasDied = !warm.container.isUsable
    await warm.container.terminate()
    if (hasDied && !this.#isClosed) this.#left.push(warm.temporary)
    else await rm(warm.temporary, { recursive: true, force: true })
  }
}
