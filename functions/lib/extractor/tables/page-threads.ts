import { getCompileCacheDir } from 'node:module'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ExtraColumns } from '../php/php-serialize.ts'
import type { JsonObject } from './json-value.ts'
import { orderedJson } from './ordered-json.ts'
import { pageBlocks } from './page-blocks.ts'
import type { Family, PageSource, RowsPlan } from './page-rows.ts'
import { threadEnvironment } from './thread-environment.ts'
import type { PageRows } from './written-rows.ts'

/** A page for a thread, as it came. */
export interface ToPageThread {
  page: number
  family: number
  version: number
  /** When the thread does not have this version. */
  plan: RowsPlan | undefined
  body: Uint8Array
  /** The memory that it is in, and that comes back with its rows if they have room there. */
  block: ArrayBuffer
  /** The keys that lead to its items. */
  path: readonly string[]
  /** Parent columns as JSON. */
  parent: string
}

/** `rows` are absent when the page has to be added by the thread that asks. */
export interface FromPageThread {
  page: number
  rows: PageRows | undefined
}

/** A page whose rows are written before it is their turn. */
export interface PageAhead {
  /** Of the family when it began. */
  readonly version: number
  readonly isDone: boolean
  /** Never rejects. */
  readonly done: Promise<void>
  /** Of a page that is done; absent when it has to be added by the thread that asks. */
  readonly rows: PageRows | undefined
}

/** A page that needs no other thread. */
export const pageDone = (version: number, rows: PageRows | undefined): PageAhead => ({
  version,
  isDone: true,
  done: Promise.resolve(),
  rows,
})

/** Pages that a thread has at once: the one that it writes and the next. */
const PAGES_PER_THREAD = 2

/** A thread that waits for its API a fourth of the time writes rows meanwhile: another one would only cost its start. */
const LEAST_BUSY = 0.75

/** A row nested so deeply that it overflows the stack there may do so here, but not the other way round. */
const STACK_MIB = 1

/** Young objects live as long as one page. */
const YOUNG_MIB = 16

interface PageThreadsOptions {
  /** Besides the one that asks. */
  threads: number
  /** Gets why they are no longer used. */
  warn: (message: string) => void
  /** Smaller pages are written sooner than they are sent. Default 16 KiB. */
  smallestPageBytes?: number
  /** Larger pages would be in memory several times. Default 16 MiB. */
  largestPageBytes?: number
  /** Bytes of pages that are added before the first thread starts: a shorter run ends before that would have paid. Default 4 MiB. */
  bytesBeforeStart?: number
  /** Share of the time since it was called last in which this thread had something to do. */
  busyShare?: () => number
  /** What they run. Default `page-thread.ts`. */
  file?: URL
}

const pageThread = new URL(`./page-thread${extname(import.meta.filename)}`, import.meta.url)

/**
 * Threads that write the rows of pages beside the one that asks for them. They hold nothing: when one of them ends, its pages are
 * added by the thread that asks, and so are all that follow.
 */
export class PageThreads {
  readonly #options: Required<PageThreadsOptions>
  #threads: PageThread[] = []
  /** Since the last look at how busy this thread is. */
  #bytes = 0
  #isBusy = false
  #isBroken = false

  constructor(options: PageThreadsOptions) {
    this.#options = {
      file: pageThread,
      smallestPageBytes: 16 * 1024,
      largestPageBytes: 16 * 1024 * 1024,
      bytesBeforeStart: 4 * 1024 * 1024,
      busyShare: createBusyShare(),
      ...options,
    }
  }

  /** Counts what could be handed over. */
  note(bytes: number): void {
    this.#bytes += bytes
    if (this.#isBusy || this.#bytes < this.#options.bytesBeforeStart) return
    this.#isBusy = this.#options.busyShare() >= LEAST_BUSY
    this.#bytes = 0
  }

  /** Hands a page to a thread. Nothing when none has room, or when it would not pay. */
  begin(source: PageSource, parent: ExtraColumns, family: Family): PageAhead | undefined {
    return this.#pays(source.body) ? this.#freeThread()?.begin(source, parent, family) : undefined
  }

  /** Whether a page would be handed to a thread now. */
  wants(body: Uint8Array): boolean {
    const { length } = this.#threads
    return this.#pays(body) && (length < this.#options.threads || this.#threads.some(hasRoom))
  }

  #pays({ length }: Uint8Array): boolean {
    const { smallestPageBytes, largestPageBytes } = this.#options
    return this.#isBusy && !this.#isBroken && length >= smallestPageBytes && length <= largestPageBytes
  }

  async close(): Promise<void> {
    this.#isBroken = true
    await Promise.all(this.#threads.map(thread => thread.close()))
  }

  #freeThread(): PageThread | undefined {
    const idle = this.#threads.find(thread => thread.pages === 0)
    if (idle !== undefined) return idle
    if (this.#threads.length < this.#options.threads) {
      const thread = new PageThread(this.#options.file, reason => this.#break(reason))
      this.#threads.push(thread)
      return thread
    }
    return this.#threads.find(hasRoom)
  }

  #break(reason: string): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#options.warn(
      `A thread that writes tables has ended (${reason}). One thread does all from here on; nothing is lost.`,
    )
  }
}

const createBusyShare = (): (() => number) => {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

const hasRoom = ({ pages }: PageThread): boolean => pages < PAGES_PER_THREAD

class PageThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, (rows: PageRows | undefined) => void>()
  /** Versions of the plans that it has. */
  readonly #versions = new Map<number, number>()
  #lastPage = 0
  #hasEnded = false

  constructor(file: URL, ended: (reason: string) => void) {
    this.#worker = new Worker(file, {
      execArgv: [],
      env: threadEnvironment(process.env, getCompileCacheDir()),
      resourceLimits: { stackSizeMb: STACK_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    })
    let reason: string | undefined
    this.#worker.on('message', ({ page, rows }: FromPageThread) => this.#settle(page, rows))
    this.#worker.on('error', error => {
      reason = error.message
    })
    this.#worker.on('exit', code => {
      this.#hasEnded = true
      ended(reason ?? `exit code ${code}`)
      for (const page of this.#waiting.keys()) this.#settle(page, undefined)
    })
  }

  get pages(): number {
    return this.#waiting.size
  }

  begin({ body, path }: PageSource, parent: ExtraColumns, { id, version, plan }: Family): PageAhead {
    const page = ++this.#lastPage
    const { promise, resolve } = Promise.withResolvers<void>()
    const ahead = { version, isDone: false, done: promise, rows: undefined as PageRows | undefined }
    this.#waiting.set(page, rows => {
      Object.assign(ahead, { isDone: true, rows })
      resolve()
    })
    const isKnown = this.#versions.get(id) === version
    this.#versions.set(id, version)
    // A copy: the response may share its memory with others
    const block = pageBlocks.take(body.length)
    const copy = new Uint8Array(block, 0, body.length)
    copy.set(body)
    const message: ToPageThread = {
      page,
      family: id,
      version,
      plan: isKnown ? undefined : plan(),
      body: copy,
      block,
      path,
      parent: orderedJson(parent as JsonObject), // only read
    }
    if (this.#hasEnded) this.#settle(page, undefined)
    else this.#worker.postMessage(message, [block])
    return ahead
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(page: number, rows: PageRows | undefined): void {
    const settle = this.#waiting.get(page)
    this.#waiting.delete(page)
    settle?.(rows)
  }
}
