import { insightsLink } from './insights-link.ts'
import { type LogRecord, readLogLines } from './read-log-lines.ts'

interface WorkLog {
  lines: LogRecord[]
  isComplete: boolean
  /** Where the lines are when they are not here. */
  insights: string | null
}

/** What the functions wrote about a piece of work. */
export type WorkLogs = (correlationId: string) => Promise<WorkLog>

/** @param folder the log files of all functions; undefined in an account, where CloudWatch has them */
export const createWorkLogs =
  (region: string, folder: string | undefined): WorkLogs =>
  async correlationId =>
    folder === undefined
      ? { lines: [], isComplete: false, insights: insightsLink(region, correlationId) }
      : { ...(await readLogLines(folder, correlationId)), insights: null }
