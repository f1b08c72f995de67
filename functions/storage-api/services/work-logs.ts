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

const LOOKS_BACK_SECONDS = 7 * 86_400

/** CloudWatch's console with a query of Logs Insights for one correlation id, over the last week. The reader chooses the log groups. */
const insightsLink = (region: string, correlationId: string): string => {
  const domain = region.startsWith('cn-') ? 'console.amazonaws.cn' : 'console.aws.amazon.com'
  const query = `fields @timestamp, level, service, message | filter correlationId = '${correlationId}' | sort @timestamp`
  const detail = [
    'end~0',
    `start~-${LOOKS_BACK_SECONDS}`,
    "timeType~'RELATIVE",
    "unit~'seconds",
    `editorString~'${escaped(query)}`,
  ].join('~')
  return `https://${region}.${domain}/cloudwatch/home?region=${region}#logsV2:logs-insights$3FqueryDetail$3D~(${detail})`
}

/** Texts in the address of that page: every other character as `*` and its hexadecimal code. */
const escaped = (text: string): string =>
  text.replace(/[^\w.-]/g, character => `*${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
