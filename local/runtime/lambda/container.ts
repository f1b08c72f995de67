import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { within } from '../../within.ts'
import { connect, type Operations } from '../host/by-message.ts'
import { InvocationError, invocationError, toFunctionError } from './function-error.ts'
import type { Invoked, ListenOptions, Ports } from './protocol.ts'
import type { ThreadOperations } from './worker.ts'

export interface ContainerOptions {
  /** Absolute path of the function's bundle. */
  readonly codeFolder: string
  /** The function's whole environment; of this process's own only where compiled code is kept. */
  readonly environment: Readonly<Record<string, string>>
  readonly memoryMiB: number
  /** The thread's own `/tmp`: made for it, and removed with it. */
  readonly temporary: string
  /** What the thread may ask of its host. */
  readonly host: Promise<Operations>
  readonly onOutput: (chunk: Buffer) => void
}

const MiB = 1024 ** 2

/**
 * Of young objects. V8 alone takes some 150 MiB for them in each thread that works much, and dozens of threads share this
 * machine; the work takes no longer with less.
 */
const YOUNG_MIB = 24

/** Seldom enough to cost nothing. What is larger for less time than this is not seen. */
const LOOK_AT_MEMORY_MS = 500

/** How long to wait for a terminated thread. One in native code ends only when that returns. */
const terminationGraceMs = 2_000

/**
 * One warm copy of a function: a worker thread that has loaded the bundle and takes one invocation at a time.
 *
 * It is unusable (`isUsable`) once the thread has ended: by itself (`process.exit`, an uncaught error, out of memory), or
 * because the invocation took too long. The caller then makes another.
 */
export class Container {
  /** Resolves when the thread has ended, for whatever reason. */
  readonly exited: Promise<void>
  readonly #options: ContainerOptions
  readonly #worker: Worker
  readonly #channel: ReturnType<typeof connect>
  #isUsable = true
  #resting: NodeJS.Timeout | undefined
  #terminated: Promise<void> | undefined

  /** Rejects when its temporary folder cannot be made: on a full disk, say. */
  static async start(options: ContainerOptions): Promise<Container> {
    await rm(options.temporary, { recursive: true, force: true })
    await mkdir(options.temporary, { recursive: true })
    return new Container(options)
  }

  private constructor(options: ContainerOptions) {
    const { codeFolder, environment, memoryMiB, temporary, host, onOutput } = options
    this.#options = options
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: codeFolder,
      env: { ...keepsCompiledCode(codeFolder), ...environment, TMPDIR: temporary },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    this.#channel = connect(this.#worker, host)
    this.#worker.stdout.on('data', onOutput)
    this.#worker.stderr.on('data', onOutput)
    let crash: InvocationError | undefined
    this.#worker.on('error', error => {
      crash = crashOf(error)
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.exited = promise
    this.#worker.on('exit', code => {
      void this.terminate()
      this.#channel.cut(crash ?? invocationError('Runtime.ExitError', `Runtime exited with code ${code}`))
      resolve()
    })
    // An idle container must not keep the process alive; a working one must.
    this.#worker.unref()
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /**
   * Runs the handler. Rejects with `InvocationError`: the handler's own, or `Sandbox.Timedout`, `Runtime.OutOfMemory`, `Runtime.ExitError`.
   *
   * Memory of native code (DuckDB's) is not seen: it belongs to the process. Nothing bounds what a function keeps on disk, since
   * on one machine DuckDB may spill as much as there is room for.
   */
  async invoke(eventJson: string, timeoutSeconds: number): Promise<string> {
    clearTimeout(this.#resting)
    const { memoryMiB } = this.#options
    const awsRequestId = randomUUID()
    const timedOut = `${new Date().toISOString()} ${awsRequestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`
    const timer = setTimeout(
      () => this.#cutOff(invocationError('Sandbox.Timedout', timedOut)),
      timeoutSeconds * 1000,
    )
    let isOver = false
    const look = async (): Promise<void> => {
      const memory = Math.ceil((await this.#memoryBytes()) / MiB)
      if (isOver || memory <= memoryMiB) return
      const tooMuch = `The function takes ${memory} MiB of memory and has ${memoryMiB}`
      this.#cutOff(invocationError('Runtime.OutOfMemory', tooMuch))
    }
    const looking = setInterval(() => void look(), LOOK_AT_MEMORY_MS).unref()
    try {
      const deadline = Date.now() + timeoutSeconds * 1000
      const invoked: Invoked = await this.#ask('invoke', eventJson, { awsRequestId, deadline })
      if ('error' in invoked) throw new InvocationError(invoked.error)
      return invoked.resultJson
    } finally {
      isOver = true
      clearTimeout(timer)
      clearInterval(looking)
    }
  }

  /** Ends the invocation that is under way with this error, and the thread. */
  #cutOff(error: InvocationError): void {
    this.#channel.cut(error)
    void this.terminate()
  }

  /** Of its heap and its buffers. A thread that has just ended has none. */
  async #memoryBytes(): Promise<number> {
    const found = await this.#worker.getHeapStatistics().catch(() => undefined)
    return found ? found.used_heap_size + found.external_memory : 0
  }

  /** Ends the thread when nothing is asked of it for so long. */
  rest(ms: number): void {
    this.#resting = setTimeout(() => void this.terminate(), ms).unref()
  }

  /** Tells what it does to stop, as the signal before the end of a container does in Lambda. */
  stop(): void {
    // A dead one has stopped.
    this.#ask('stop').catch(() => {})
  }

  /** Loads the bundle before the first invocation, with variables that were not known when the thread began. */
  load(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#ask('load', environment)
  }

  /** Serves the bundle's `answer`. The thread then keeps the process alive. Rejects with Node's error of the port. */
  serve(options: ListenOptions): Promise<Ports> {
    this.#worker.ref()
    return this.#ask('serve', options)
  }

  /** Refuses new requests and waits up to `graceMs` for the open ones. */
  async drain(graceMs: number): Promise<void> {
    // A dead thread has no open requests, and one that is still loading does not answer.
    await within(
      graceMs,
      this.#ask('drain', graceMs).catch(() => {}),
    )
  }

  /** Ends the thread at once. */
  terminate(): Promise<void> {
    this.#isUsable = false
    clearTimeout(this.#resting)
    this.#terminated ??= within(terminationGraceMs, this.#worker.terminate()).then(() =>
      rm(this.#options.temporary, { recursive: true, force: true }),
    )
    return this.#terminated
  }

  #ask<Name extends keyof ThreadOperations>(
    name: Name,
    ...given: Parameters<ThreadOperations[Name]>
  ): Promise<Awaited<ReturnType<ThreadOperations[Name]>>> {
    return this.#channel.ask(name, ...given)
  }
}

/** What V8 compiled goes beside the bundles that it is of, where this process keeps such code (`cli/compile-cache.js`). */
const keepsCompiledCode = (codeFolder: string): Readonly<Record<string, string>> =>
  getCompileCacheDir() === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(codeFolder), 'compiled') }

const crashOf = (error: unknown): InvocationError => {
  const { errorType, errorMessage, trace } = toFunctionError(error)
  const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return new InvocationError({
    errorType: isOutOfMemory ? 'Runtime.OutOfMemory' : 'Runtime.ExitError',
    errorMessage: `Uncaught ${errorType}: ${errorMessage}`,
    trace,
  })
}
