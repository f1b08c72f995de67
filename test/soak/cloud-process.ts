import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { CloudFacts } from '../../local/runtime/embedded-cloud.ts'
import { projectRoot } from '../../local/runtime/project-root.ts'
import type { Stop } from './schedule.ts'

export interface CloudProcessOptions {
  readonly dataDir: string
  readonly durability: string | undefined
  /** Takes what the process prints on stderr. */
  readonly logFile: string
  /** Variables over those of this process. Default: none. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A start that takes longer is a failure. On a busy machine the bundles are made first. */
const longestStartMs = 300_000
/** What the service promises for SIGTERM is eight seconds; a busy machine takes longer. */
const longestStopMs = 60_000

/** The embedded cloud as a process of its own, which ends and starts again under its clients. */
export class CloudProcess {
  readonly #options: CloudProcessOptions
  #child: ChildProcess | undefined
  #facts = Promise.withResolvers<CloudFacts>()
  #isUp = false
  kills = 0
  starts = 0

  constructor(options: CloudProcessOptions) {
    this.#options = options
    this.#facts.promise.catch(() => {}) // Who waits for it hears of it.
  }

  /** Where the cloud is; waits while there is none. */
  up(): Promise<CloudFacts> {
    return this.#facts.promise
  }

  async start(): Promise<void> {
    const ready = Promise.withResolvers<CloudFacts>()
    const child = this.#spawn(ready)
    const late = AbortSignal.timeout(longestStartMs)
    const failed = once(late, 'abort').then(() => {
      throw new Error(`The cloud was not ready after ${longestStartMs / 1000} s`)
    })
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`The cloud ended before it was ready (${code ?? signal}); see ${this.#options.logFile}`)
    })
    failed.catch(() => {})
    ended.catch(() => {})
    try {
      this.#facts.resolve(await Promise.race([ready.promise, ended, failed]))
      this.#isUp = true
      child.once('exit', (code, signal) => this.#noteCrash(child, code ?? signal))
    } catch (error) {
      this.#facts.reject(error)
      throw error
    }
  }

  /** Starts it and ends it while it starts. */
  async stopDuringStart({ signal, afterMs }: Stop): Promise<void> {
    const child = this.#spawn(Promise.withResolvers<CloudFacts>())
    await Promise.race([pause(afterMs), once(child, 'exit')])
    await this.end(signal)
  }

  /** Ends it and waits until it is gone. */
  async end(signal: Stop['signal']): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    if (signal === 'SIGKILL') this.kills += 1
    this.#goDown()
    const gone = once(child, 'exit')
    child.kill(signal)
    const isGone = await Promise.race([gone.then(() => true), pause(longestStopMs, false, { ref: false })])
    if (isGone) return
    child.kill('SIGKILL')
    await gone
    throw new Error(`The cloud had not ended ${longestStopMs / 1000} s after ${signal}`)
  }

  /** Whoever asks from here on waits for the next start, as those do who wait already. */
  #goDown(): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.#facts = Promise.withResolvers<CloudFacts>()
    this.#facts.promise.catch(() => {})
  }

  /** Whoever uses a cloud that ended by itself hears of it. */
  #noteCrash(child: ChildProcess, how: unknown): void {
    if (this.#child !== child) return
    this.#goDown()
    this.#facts.reject(new Error(`The cloud ended by itself (${how}); see ${this.#options.logFile}`))
  }

  /** For the way out: nobody waits for it any more. */
  abandon(): void {
    this.#child?.kill('SIGKILL')
  }

  #spawn(ready: PromiseWithResolvers<CloudFacts>): ChildProcess {
    const { dataDir, durability, logFile, environment = {} } = this.#options
    const child = spawn(process.execPath, [join(projectRoot, 'cli', 'millrace.ts'), 'start'], {
      cwd: projectRoot,
      env: {
        ...process.env,
        MILLRACE_DATA_DIR: dataDir,
        MILLRACE_API_PORT: '0',
        MILLRACE_S3_PORT: '0',
        ...(durability !== undefined && { MILLRACE_DURABILITY: durability }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.starts += 1
    child.stderr.pipe(createWriteStream(logFile, { flags: 'a' }))
    createInterface({ input: child.stdout }).on('line', line => {
      const facts: CloudFacts & { event: string } = JSON.parse(line)
      if (facts.event === 'ready') ready.resolve(facts)
    })
    return child
  }
}
