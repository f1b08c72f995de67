import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../write-file-atomically.ts'
import { type ExecutionRecord, executionRecordSchema } from './execution-record.ts'

/** What a person may still look up, and what `StartExecution` still knows a name from. The service keeps 90 days. */
const endedKept = 5_000

/** The executions of this data directory: all of them in memory, and each as a file of its own. */
export class ExecutionStore {
  readonly #folder: string
  readonly #records = new Map<string, ExecutionRecord>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<ExecutionStore> {
    await mkdir(folder, { recursive: true })
    const store = new ExecutionStore(folder)
    const files = (await readdir(folder)).filter(name => name.endsWith('.json'))
    const records = await Promise.all(
      files.map(async file => {
        const value: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'))
        return executionRecordSchema.parse(value)
      }),
    )
    for (const record of records.sort((a, b) => a.startDate.localeCompare(b.startDate)))
      store.#records.set(record.executionArn, record)
    return store
  }

  get(executionArn: string): ExecutionRecord | undefined {
    return this.#records.get(executionArn)
  }

  /** Oldest first. */
  all(): readonly ExecutionRecord[] {
    return [...this.#records.values()]
  }

  /** Returns when the record would survive a kill. */
  async put(record: ExecutionRecord): Promise<void> {
    this.#records.set(record.executionArn, record)
    await writeFileAtomically(this.#file(record.executionArn), JSON.stringify(record))
    if (record.status !== 'RUNNING') await this.#prune()
  }

  async #prune(): Promise<void> {
    if (this.#records.size <= endedKept) return
    const ended = this.all().filter(({ status }) => status !== 'RUNNING')
    for (const { executionArn } of ended.slice(0, Math.max(0, ended.length - endedKept))) {
      this.#records.delete(executionArn)
      await rm(this.#file(executionArn), { force: true })
    }
  }

  // A name may be 80 characters of nearly any kind, and a file system may not tell upper case from lower.
  #file(executionArn: string): string {
    return join(this.#folder, `${createHash('sha256').update(executionArn).digest('hex').slice(0, 40)}.json`)
  }
}
