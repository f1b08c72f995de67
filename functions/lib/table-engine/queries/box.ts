/** The process of one query (`open-box.ts`): a session of DuckDB, and nothing else. It ends with the process that started it. */
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { DuckDbPool } from '../duckdb/confined-duckdb.ts'
import { type DuckDbSession, openDuckDbSession } from '../duckdb/duckdb-session.ts'

export interface BoxSettings {
  scratchDir: string
  memoryLimitMiB: number
  spillMiB: number
  threads: number
  /** Of the whole process. */
  mostMemoryMiB: number
}

/** What is asked of the session, one call at a time. */
export interface BoxCall {
  method: Exclude<keyof DuckDbSession, 'scratchPath' | 'close'>
  given: unknown[]
}
export type BoxAnswer = { result: unknown } | { error: string }

const LOOK_MS = 20
/** Below that of whatever else is done here. */
const PRIORITY = 10

const settings: BoxSettings = JSON.parse(process.argv[2] ?? '')
const answer = (said: BoxAnswer): void => void process.send?.(said)
// Nothing tidies up under a statement that still runs.
const end = (): void => void process.kill(process.pid, 'SIGKILL')

setPriority(PRIORITY)
process.on('disconnect', end)
// Linux holds the bound by itself, macOS does not.
setInterval(() => {
  if (process.memoryUsage.rss() > settings.mostMemoryMiB * 1024 ** 2) end()
}, LOOK_MS)

const session = await openDuckDbSession({ pool: new DuckDbPool(settings), threads: settings.threads })
process.on('message', async ({ method, given }: BoxCall) => {
  try {
    const run = session[method] as (...values: unknown[]) => Promise<unknown> // It takes what the caller gives.
    answer({ result: await run(...given) })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
})
answer({ result: dirname(session.scratchPath('any')) })
