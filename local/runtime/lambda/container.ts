import { extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { compiledCodeEnvironment } from './compiled-code.ts'
import { InvocationError as Failed, type InvocationError, invocationError } from './function-error.ts'
import type {
  FromWorker,
  FunctionError,
  InvocationContext,
  ListenOptions,
  ToWorker,
  WorkerData,
  WorkerSettings,
} from './protocol.ts'

interface ContainerOptions extends WorkerSettings {
  /** The function's whole environment; of this process's own only where compiled code is kept. */
  readonly environment: Readonly<Record<string, string>>
  readonly memoryMiB: number
  /** Answers what the thread asks of its host. */
  readonly serveHost: (port: MessagePort) => void
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
  readonly #worker: Worker
  readonly #exited: Promise<void>
  #waiting: ((outcome: FromWorker | InvocationError) => void) | undefined
  #crash: InvocationError | undefined
  #isUsable = true

  constructor({ environment, memoryMiB, serveHost, onOutput, ...settings }: ContainerOptions) {
    const { port1, port2 } = new MessageChannel()
    serveHost(port1)
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: { ...settings, host: port2 } satisfies WorkerData,
      transferList: [port2],
      env: { ...compiledCodeEnvironment(), ...environment },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    this.#worker.stdout.on('data', onOutput)
    this.#worker.stderr.on('data', onOutput)
    this.#worker.on('message', (message: FromWorker) => this.#settle(message))
    this.#worker.on('error', error => {
      this.#crash = new Failed(crashReport(error))
    })
    this.#exited = new Promise(resolve => {
      this.#worker.on('exit', code => {
        this.#isUsable = false
        this.#settle(this.#crash ?? invocationError('Runtime.ExitError', `Runtime exited with code ${code}`))
        resolve()
      })
    })
    // An idle container must not keep the process alive; a working one must.
    this.#worker.unref()
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Resolves when the thread has ended, for whatever reason. */
  get exited(): Promise<void> {
    return this.#exited
  }

  /** Runs the handler. Rejects with `InvocationError`: the handler's own, or `Sandbox.Timedout`, `Runtime.ExitError`. */
  async invoke(eventJson: string, context: InvocationContext, timeoutSeconds: number): Promise<string> {
    const timedOut = `${new Date().toISOString()} ${context.awsRequestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`
    const timer = setTimeout(
      () => this.cutOff(invocationError('Sandbox.Timedout', timedOut)),
      timeoutSeconds * 1000,
    )
    try {
      const answer = await this.#ask({ kind: 'invoke', eventJson, context })
      if (answer.kind === 'result') return answer.resultJson
      if (answer.kind === 'failed') throw new Failed(answer.error)
      throw new Error(`A container answered an invocation with ${answer.kind}`)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the invocation that is under way with this error, and the thread. */
  cutOff(error: InvocationError): void {
    this.#settle(error)
    void this.terminate()
  }

  /** Bytes of its heap and its buffers. */
  async memoryBytes(): Promise<number> {
    const { used_heap_size, external_memory } = await this.#worker.getHeapStatistics()
    return used_heap_size + external_memory
  }

  /** Loads the bundle before the first invocation. */
  async load(): Promise<void> {
    const answer = await this.#ask({ kind: 'load' })
    if (answer.kind === 'failed') throw new Failed(answer.error)
  }

  /** Serves the bundle's `answer`; resolves to the ports. The thread then keeps the process alive. */
  async serve(options: ListenOptions): Promise<{ port: number; tlsPort: number | undefined }> {
    this.#worker.ref()
    const answer = await this.#ask({ kind: 'serve', ...options })
    if (answer.kind === 'listening') return answer
    const message = answer.kind === 'refused' ? answer.message : `unexpected ${answer.kind}`
    throw Object.assign(new Error(message), { code: answer.kind === 'refused' ? answer.code : undefined })
  }

  updateEnvironment(variables: Readonly<Record<string, string>>): void {
    this.#send({ kind: 'environment', variables })
  }

  /** Refuses new requests and waits up to `graceMs` for the open ones. */
  async drain(graceMs: number): Promise<void> {
    // A dead thread has no open requests, and one that is still loading does not answer.
    await within(
      graceMs,
      this.#ask({ kind: 'drain', graceMs }).catch(() => {}),
    )
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    this.#isUsable = false
    await within(terminationGraceMs, this.#worker.terminate())
  }

  async #ask(message: ToWorker): Promise<FromWorker> {
    if (!this.#isUsable) throw this.#crash ?? invocationError('Runtime.ExitError', 'Runtime has exited')
    if (this.#waiting) throw new Error('A container was given a second task before it had answered the first')
    const answer = Promise.withResolvers<FromWorker>()
    this.#waiting = outcome => {
      if (outcome instanceof Error) answer.reject(outcome)
      else answer.resolve(outcome)
    }
    this.#send(message)
    return answer.promise
  }

  #settle(outcome: FromWorker | InvocationError): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(outcome)
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message)
  }
}

const crashReport = (error: unknown): FunctionError => {
  const isError = error instanceof Error
  const isOutOfMemory = isError && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return {
    errorType: isOutOfMemory ? 'Runtime.OutOfMemory' : 'Runtime.ExitError',
    errorMessage: isError ? `Uncaught ${error.name}: ${error.message}` : `Uncaught ${String(error)}`,
    trace: isError ? (error.stack ?? '').split('\n') : [],
  }
}

const within = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([promise, late.promise])
  clearTimeout(timer)
}
