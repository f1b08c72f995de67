import { type DueTimes, readSchedule } from '#lib/schedules/schedule-expression.ts'
import { clocks, DUE, type FunctionName } from '../../infra/system.ts'

interface DueWork {
  readonly name: string
  readonly times: DueTimes
  readonly isOfEachMinute: boolean
  /** @param due when it was due: ISO 8601, whole seconds */
  readonly run: (due: string) => Promise<unknown>
}

interface ClocksOptions {
  /** The functions that are here. */
  readonly functions: readonly FunctionName[]
  readonly call: (name: FunctionName, event: object) => Promise<unknown>
  readonly log: (message: string) => void
}

/** Longer pauses are split: Node's timers end at 24 days, and a laptop's clock jumps when it wakes. */
const longestPauseMs = 60_000

/**
 * Runs what is due by the clocks of the system. What was due while this process was down is skipped: a clock says when, not how
 * often.
 */
export class Clocks {
  readonly #log: (message: string) => void
  readonly #work: readonly DueWork[]
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor({ functions, call, log }: ClocksOptions) {
    this.#log = log
    this.#work = clocks
      .filter(({ calls }) => functions.includes(calls))
      .map(({ calls, expression, input = {} }) => ({
        name: `${calls} ${JSON.stringify(input)}`,
        times: readSchedule(expression, 'UTC'),
        isOfEachMinute: expression === 'rate(1 minute)',
        run: (due: string) => call(calls, at(due, input)),
      }))
  }

  /** With work from before the start, what is due each minute runs at once. */
  start({ hasEarlierWork }: { hasEarlierWork: boolean }): void {
    const now = new Date()
    for (const work of this.#work) {
      if (hasEarlierWork && work.isOfEachMinute) void this.#run(work, now)
      this.#wait(work, work.times.after(now))
    }
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #wait(work: DueWork, due: Date | undefined): void {
    if (!due) return
    const pause = Math.min(due.getTime() - Date.now(), longestPauseMs)
    const timer = setTimeout(() => {
      if (Date.now() < due.getTime()) return this.#wait(work, due)
      void this.#run(work, due)
      this.#wait(work, work.times.after(new Date()))
    }, pause)
    this.#timers.set(work.name, timer.unref())
  }

  async #run({ name, run }: DueWork, due: Date): Promise<void> {
    try {
      await run(`${due.toISOString().slice(0, 19)}Z`)
    } catch (error) {
      this.#log(`${name}: what is due was not done: ${String(error)}`)
    }
  }
}

const at = (due: string, input: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, value === DUE ? due : value]))
