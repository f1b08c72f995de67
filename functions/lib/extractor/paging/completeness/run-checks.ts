import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathInside } from '#lib/paths/path-inside.ts'
import { answerSpool } from '../../requests/answers/answer-spool.ts'
import { AppendFile } from '../../tables/append-file.ts'
import type { PageFacts } from './page-facts.ts'
import { PassRecording, type SavedRecording } from './pass-recording.ts'
import { RunCheck } from './run-check.ts'

/** What a checkpoint holds of them; the ids are in a file of the spool folder. */
export interface SavedChecks {
  bytes: number
  next: number
  open: number[]
}

/**
 * The checks of the runs under way. What each page said goes into a file too, one line for each, from which the next leg
 * makes them again.
 */
export class RunChecks {
  readonly #folder: string
  readonly #items: string
  readonly #open = new Map<number, RunCheck>()
  #log: AppendFile | undefined
  #next = 0

  /** @param spoolDir a run without a job to check puts nothing there */
  constructor(spoolDir: string) {
    this.#folder = pathInside(spoolDir, 'completeness')
    this.#items = answerSpool(spoolDir).items
  }

  static async restore(spoolDir: string, saved: SavedChecks | undefined): Promise<RunChecks> {
    const checks = new RunChecks(spoolDir)
    if (saved === undefined) return checks
    checks.#next = saved.next
    for (const number of saved.open) checks.#open.set(number, new RunCheck(number))
    if (saved.bytes === 0) return checks
    checks.#log = new AppendFile(checks.#file, saved.bytes) // cuts off what a lost leg wrote
    for await (const line of createInterface({ input: createReadStream(checks.#file) })) {
      const [number, facts] = JSON.parse(line) as [number, PageFacts] // as `note` wrote it
      checks.#open.get(number)?.add(facts)
    }
    return checks
  }

  get #file(): string {
    return pathInside(this.#folder, 'pages')
  }

  start(): RunCheck {
    const check = new RunCheck(this.#next++)
    this.#open.set(check.number, check)
    return check
  }

  /** The one that an earlier leg started. */
  at(number: number): RunCheck | undefined {
    return this.#open.get(number)
  }

  /** The rows of a pass, and of an earlier leg of it. They lie where items of answers wait for their tables. */
  recordingOf({ number }: RunCheck, saved?: SavedRecording): PassRecording {
    return new PassRecording(this.#items, `pass-${number}`, saved)
  }

  note(check: RunCheck, facts: PageFacts): void {
    check.add(facts)
    if (this.#log === undefined) {
      mkdirSync(this.#folder, { recursive: true })
      this.#log = new AppendFile(this.#file)
    }
    this.#log.write(`${JSON.stringify([check.number, facts])}\n`)
  }

  end({ number }: RunCheck): void {
    this.#open.delete(number)
  }

  /** `undefined` when no job was checked. */
  save(): SavedChecks | undefined {
    if (this.#next === 0) return undefined
    this.#log?.flush()
    return { bytes: this.#log?.bytes ?? 0, next: this.#next, open: [...this.#open.keys()] }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
