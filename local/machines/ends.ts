import { untilThereIsRoom } from '../runtime/until-there-is-room.ts'
import type { EndedExecution, ExecutionStore } from './execution-store.ts'

export interface TellEnd {
  /** Whether anybody is to be told of it. */
  readonly isHeard: (ended: EndedExecution) => boolean
  /** Told at least once, after a death again. */
  readonly tell: (ended: EndedExecution) => Promise<void>
}

interface EndsOptions {
  readonly store: ExecutionStore
  /** Default: nobody is told. */
  readonly tellEnd?: TellEnd | undefined
  readonly log: (message: string) => void
  /** How long to wait before a record is tried again that did not fit on the disk, or an end that could not be told. */
  readonly pauseMs?: number | undefined
}

const RETRY_MS = 30_000

/** Records how executions ended, then tells it until it was told: what is told stays true, and a death loses neither. */
export class Ends {
  readonly #options: EndsOptions
  #isClosed = false

  constructor(options: EndsOptions) {
    this.#options = options
  }

  /** Resolves when it is recorded and was told, or could not be told for now. */
  async record(ended: EndedExecution): Promise<void> {
    const { tellEnd } = this.#options
    if (!tellEnd?.isHeard(ended)) return this.#store(ended)
    const untold: EndedExecution = { ...ended, untold: true }
    await this.#store(untold)
    await this.#tell(untold)
  }

  /** Tells what the process before has left. */
  resume(): void {
    for (const record of this.#options.store.all())
      if (record.status !== 'RUNNING' && record.untold) void this.#tell(record)
  }

  close(): void {
    this.#isClosed = true
  }

  async #tell({ untold: _, ...ended }: EndedExecution): Promise<void> {
    const { tellEnd, log, pauseMs = RETRY_MS } = this.#options
    try {
      await tellEnd?.tell(ended)
      await this.#store(ended)
    } catch (error) {
      if (this.#isClosed) return
      log(`${ended.name}: its end could not be told, trying again: ${String(error)}`)
      setTimeout(() => this.#isClosed || void this.#tell(ended), pauseMs).unref()
    }
  }

  /** What has happened stays true on a full disk: it is recorded when there is room again, or the next start repeats it. */
  #store(ended: EndedExecution): Promise<void> {
    const { store, log, pauseMs } = this.#options
    return untilThereIsRoom(() => store.put(ended), {
      onWait: error =>
        log(`${ended.name}: its end could not be recorded: ${String(error)}; trying until there is room`),
      isOver: () => this.#isClosed,
      pauseMs,
    })
  }
}
