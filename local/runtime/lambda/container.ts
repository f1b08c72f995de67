import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import type { Socket } from 'node:net'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { within } from '../../within.ts'
import { connect, type Operations } from '../host/by-message.ts'
import { InvocationError, invocationError } from './function-error.ts'
import type { Invoked, ListenOptions, Ports } from './protocol.ts'
import type { ProcessOperations } from './worker.ts'

export interface ContainerOptions {
  /** Absolute path of the function's bundle. */
  readonly codeFolder: string
  /** The function's whole environment; of this process's own only where compiled code is kept. */
  readonly environment: Readonly<Record<string, string>>
  readonly memoryMiB: number
  /** The process's own `/tmp`: made for it, and removed with it. */
  readonly temporary: string
  /** What the process may ask of its host. */
  readonly host: Promise<Operations>
  readonly onOutput: (chunk: Buffer) => void
}

/**
 * Of young objects. V8 alone takes some 50 MiB for each half of them in a process that works much, and dozens share this
 * machine; the work takes no longer with less.
 */
const SEMI_SPACE_MIB = 8

const MiB = 1024 ** 2

/** Seldom enough to cost nothing. What is larger for less time than this is not seen. */
const LOOK_AT_MEMORY_MS = 500

const WORKER = fileURLToPath(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url))

/**
 * One warm copy of a function: a process that has loaded the bundle and takes one invocation at a time. What crashes native
 * code ends this process alone, as in Lambda (rule 15).
 *
 * It is unusable (`isUsable`) once the process has ended: by itself (`process.exit`, an uncaught error, out of memory), or
 * because the invocation took too long. The caller then makes another.
 */
export class Container {
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>
  readonly #options: ContainerOptions
  readonly #process: ChildProcess
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
    const child = fork(WORKER, [codeFolder], {
      env: { ...keptSmall(), ...keepsCompiledCode(codeFolder), ...environment, TMPDIR: temporary },
      execArgv: [
        `--max-old-space-size=${memoryMiB}`,
        `--max-semi-space-size=${SEMI_SPACE_MIB}`,
        '--heap-growing-percent=20',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A signal of the terminal is for the runtime, which then tells its functions to stop.
      detached: true,
    })
    this.#process = child
    this.#channel = connect(child, host)
    // An idle container must not keep the runtime alive; its servers do.
    child.unref()
    child.channel?.unref()
    for (const output of [child.stdout, child.stderr] as (Socket | undefined)[])
      output?.on('data', onOutput).unref() // a pipe, which a process that could not be made has not
    const { promise, resolve } = Promise.withResolvers<void>()
    this.exited = promise
    const over = (why: string): void => {
      void this.terminate()
      this.#channel.cut(invocationError('Runtime.ExitError', why))
      resolve()
    }
    child.on('error', error => over(`Runtime did not start: ${error.message}`))
    child.on('close', (code, signal) => over(`Runtime exited with ${signal ?? `code ${code}`}`))
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /**
   * Runs the handler. Rejects with `InvocationError`: the handler's own, or `Sandbox.Timedout`, `Runtime.OutOfMemory`, `Runtime.ExitError`.
   *
   * Memory of native code (DuckDB's) is not counted, and nothing bounds what a function keeps on disk: on one machine DuckDB may
   * take and spill as much as there is room for.
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
      // A process that has just ended has none.
      const memory = Math.ceil((await this.#ask('memoryBytes').catch(() => 0)) / MiB)
      if (isOver || memory <= memoryMiB) return
      const tooMuch = `The function takes ${memory} MiB of memory and has ${memoryMiB}`
      this.#cutOff(invocationError('Runtime.OutOfMemory', tooMuch))
    }
    const looking = setInterval(() => void look(), LOOK_AT_MEMORY_MS).unref()
    try {
      const deadline = Date.now() + timeoutSeconds * 1000
      const invoked: Invoked = await this.#ask('invoke', eventJson, { awsRequestId, deadline })
      if ('resultJson' in invoked) return invoked.resultJson
      if (invoked.isLast) void this.terminate()
      throw new InvocationError(invoked.error)
    } finally {
      isOver = true
      clearTimeout(timer)
      clearInterval(looking)
    }
  }

  /** Ends the invocation that is under way with this error, and the process. */
  #cutOff(error: InvocationError): void {
    this.#channel.cut(error)
    void this.terminate()
  }

  /** Ends the process when nothing is asked of it for so long. */
  rest(ms: number): void {
    this.#resting = setTimeout(() => void this.terminate(), ms).unref()
  }

  /** Tells what it does to stop, as the signal before the end of a container does in Lambda. */
  stop(): void {
    // A dead one has stopped.
    this.#ask('stop').catch(() => {})
  }

  /** Loads the bundle before the first invocation, with variables that were not known when the process began. */
  load(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#ask('load', environment)
  }

  /** Serves the bundle's `answer`. It then keeps the runtime alive. Rejects with Node's error of the port. */
  serve(options: ListenOptions): Promise<Ports> {
    this.#process.ref()
    return this.#ask('serve', options)
  }

  /** Refuses new requests and waits up to `graceMs` for the open ones. */
  async drain(graceMs: number): Promise<void> {
    // A dead process has no open requests, and one that is still loading does not answer.
    await within(
      graceMs,
      this.#ask('drain', graceMs).catch(() => {}),
    )
  }

  /** Ends the process at once. */
  terminate(): Promise<void> {
    this.#isUsable = false
    clearTimeout(this.#resting)
    this.#process.kill('SIGKILL')
    this.#terminated ??= this.exited.then(() => rm(this.#options.temporary, { recursive: true, force: true }))
    return this.#terminated
  }

  #ask<Name extends keyof ProcessOperations>(
    name: Name,
    ...given: Parameters<ProcessOperations[Name]>
  ): Promise<Awaited<ReturnType<ProcessOperations[Name]>>> {
    return this.#channel.ask(name, ...given)
  }
}

/** What bounds the memory that this process keeps (`cli/little-memory.js`) bounds that of its functions. */
const keptSmall = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(DUCKDB_JE_)?MALLOC_/.test(name)))

/** What V8 compiled goes beside the bundles that it is of, where this process keeps such code (`cli/compile-cache.js`). */
const keepsCompiledCode = (codeFolder: string): Readonly<Record<string, string>> =>
  getCompileCacheDir() === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(codeFolder), 'compiled') }
