import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { hexDigest } from '#lib/digests.ts'
import { DurableFiles } from '../durable/durable-files.ts'
import { type Log, readRecords } from '../durable/records.ts'
import { accountId, region } from '../s3/account.ts'

/** What a person may still look up, and what `StartExecution` still knows a name from. The service keeps 90 days. */
const endedKept = 5_000

/** The executions of this data directory: all of them in memory, and each as a file of its own. */
export class ExecutionStore {
  readonly #folder: string
  readonly #records = new Map<string, ExecutionRecord>()

  readonly #files: DurableFiles

  private constructor(folder: string, files: DurableFiles) {
    this.#folder = folder
    this.#files = files
  }

  static async open(
    folder: string,
    { files = new DurableFiles(), log = () => {} }: { files?: DurableFiles; log?: Log } = {},
  ): Promise<ExecutionStore> {
    await files.makeFolder(folder)
    const store = new ExecutionStore(folder, files)
    const records = await readRecords(files, folder, executionRecordSchema, log)
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

  /** Resolves when the record is synced; until then, and when it cannot be written, the one before it is the current one. */
  async put(record: ExecutionRecord): Promise<void> {
    await this.#files.writeWhole(this.#file(record.executionArn), JSON.stringify(record))
    this.#records.set(record.executionArn, record)
    if (record.status !== 'RUNNING') await this.#prune()
  }

  async #prune(): Promise<void> {
    if (this.#records.size <= endedKept) return
    const ended = this.all().filter(({ status }) => status !== 'RUNNING')
    for (const { executionArn } of ended.slice(0, Math.max(0, ended.length - endedKept))) {
      this.#records.delete(executionArn)
      await this.#files.remove(this.#file(executionArn))
    }
  }

  // A name may be 80 characters of nearly any kind, and a file system may not tell upper case from lower.
  #file(executionArn: string): string {
    return join(this.#folder, `${hexDigest(executionArn, 40)}.json`)
  }
}

const started = {
  executionArn: z.string(),
  stateMachineArn: z.string(),
  name: z.string(),
  /** The input as the caller wrote it. */
  input: z.string(),
  /** ISO 8601. */
  startDate: z.string(),
}

const ended = {
  ...started,
  stopDate: z.string(),
  /** Nobody was told of the end yet. */
  untold: z.literal(true).optional(),
}

/** One execution, as it is kept on disk and described to callers. */
const executionRecordSchema = z.discriminatedUnion('status', [
  z.object({ ...started, status: z.literal('RUNNING') }),
  z.object({ ...ended, status: z.literal('SUCCEEDED'), output: z.string() }),
  z.object({
    ...ended,
    status: z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']),
    error: z.string().optional(),
    cause: z.string().optional(),
  }),
])
export type ExecutionRecord = z.infer<typeof executionRecordSchema>
export type RunningExecution = Extract<ExecutionRecord, { status: 'RUNNING' }>
export type EndedExecution = Exclude<ExecutionRecord, { status: 'RUNNING' }>

/** The event of an execution that began or ended (EventBridge events, "Step Functions Execution Status Change"). */
export const statusChange = (record: ExecutionRecord): Record<string, unknown> => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Step Functions Execution Status Change',
  source: 'aws.states',
  account: accountId,
  time: record.status === 'RUNNING' ? record.startDate : record.stopDate,
  region: region,
  resources: [record.executionArn],
  detail: {
    executionArn: record.executionArn,
    stateMachineArn: record.stateMachineArn,
    name: record.name,
    status: record.status,
    startDate: Date.parse(record.startDate),
    stopDate: record.status === 'RUNNING' ? null : Date.parse(record.stopDate),
    input: record.input,
    inputDetails: { included: true },
    output: record.status === 'SUCCEEDED' ? record.output : null,
    outputDetails: record.status === 'SUCCEEDED' ? { included: true } : null,
    error: 'error' in record ? (record.error ?? null) : null,
    cause: 'cause' in record ? (record.cause ?? null) : null,
  },
})
