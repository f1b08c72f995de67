import { getCompileCacheDir } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { within } from '../../within.ts'
import { type Ask, connect, type Operations } from '../host/by-message.ts'
import { InvocationError as Failed, type InvocationError, invocationError } from './function-error.ts'
import type { FunctionError, InvocationContext, Invoked, ListenOptions, Ports } from './protocol.ts'
import type { ThreadOperations } from './worker.ts'

interface ContainerOptions {
  /** Absolute path of the function's bundle. */
  readonly codeFolder: string
  /** The function's whole environment; of this process's own only where compiled code is kept. */
  readonly environment: Readonly<Record<string, string>>
  readonly memoryMiB: number
  /** What the thread may ask of its host. */
  readonly host: Promise<Operations>
  readonly onOutput: (chunk: Buffer) => void
}

/**
 * Of young objects. V8 alone takes some 150 MiB for them in each thread that works much, and dozens of threads share this
 * machine; the work takes no longer with less.
 */
const YOUNG_MIB = 24

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
  readonly #worker: Worker
  readonly #channel: ReturnType<typeof connect>
  #isUsable = true

  constructor({ codeFolder, environment, memoryMiB, host, onOutput }: ContainerOptions) {
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: codeFolder,
      env: { ...keepsCompiledCode(codeFolder), ...environment },
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
      crash = new Failed(crashReport(error))
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.exited = promise
    this.#worker.on('exit', code => {
      this.#isUsable = false
      this.#channel.cut(crash ?? invocationError('Runtime.ExitError', `Runtime exited with code ${code}`))
      resolve()
    })
    // An idle container must not keep the process alive; a working one must.
    this.#worker.unref()
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Runs the handler. Rejects with `InvocationError`: the handler's own, or `Sandbox.Timedout`, `Runtime.ExitError`. */
  async invoke(eventJson: string, context: InvocationContext, timeoutSeconds: number): Promise<string> {
    const timedOut = `${new Date().toISOString()} ${context.awsRequestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`
    const timer = setTimeout(
      () => this.cutOff(invocationError('Sandbox.Timedout', timedOut)),
      timeoutSeconds * 1000,
    )
    try {
      const invoked: Invoked = await this.#ask('invoke', eventJson, context)
      if ('error' in invoked) throw new Failed(invoked.error)
      return invoked.resultJson
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the invocation that is under way with this error, and the thread. */
  cutOff(error: InvocationError): void {
    this.#channel.cut(error)
    void this.terminate()
  }

  /** Tells what it does to stop, as the signal before the end of a container does in Lambda. */
  stop(): void {
    this.#tell('stop')
  }

  /** Bytes of its heap and its buffers. */
  async memoryBytes(): Promise<number> {
    const { used_heap_size, external_memory } = await this.#worker.getHeapStatistics()
    return used_heap_size + external_memory
  }

  /** Loads the bundle before the first invocation. */
  load(): Promise<void> {
    return this.#ask('load')
  }

  /** Serves the bundle's `answer`. The thread then keeps the process alive. Rejects with Node's error of the port. */
  serve(options: ListenOptions): Promise<Ports> {
    this.#worker.ref()
    return this.#ask('serve', options)
  }

  updateEnvironment(variables: Readonly<Record<string, string>>): void {
    this.#tell('environment', variables)
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
  async terminate(): Promise<void> {
    this.#isUsable = false
    await within(terminationGraceMs, this.#worker.terminate())
  }

  #ask<Name extends keyof ThreadOperations>(
    name: Name,
    ...given: Parameters<ThreadOperations[Name]>
  ): Promise<Awaited<ReturnType<ThreadOperations[Name]>>> {
    return this.#channel.ask(name, ...given)
  }

  /** Whoever waits for the thread hears of its end. */
  #tell(...asked: Parameters<Ask>): void {
    this.#channel.ask(...asked).catch(() => {})
  }
}

/** What V8 compiled goes beside the bundles that it is of, where this process keeps such code (`cli/compile-cache.js`). */
const keepsCompiledCode = (codeFolder: string): Readonly<Record<string, string>> =>
  getCompileCacheDir() === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(codeFolder), 'compiled') }

const crashReport = (error: unknown): FunctionError => {
  const isError = error instanceof Error
  const isOutOfMemory = isError && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return {
    errorType: isOutOfMemory ? 'Runtime.OutOfMemory' : 'Runtime.ExitError',
    errorMessage: isError ? `Uncaught ${error.name}: ${error.message}` : `Uncaught ${String(error)}`,
    trace: isError ? (error.stack ?? '').split('\n') : [],
  }
}
