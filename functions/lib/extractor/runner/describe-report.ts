import type { ReportSettings } from '../config/report-schema.ts'
import { reportDefaults } from './make-report.ts'

/** What a plan says of the report of a job. */
export const describeReport = (settings: ReportSettings | undefined): string[] => {
  if (settings === undefined) return []
  const { poll, download, status, ready } = settings
  const { interval, maxWait } = { ...reportDefaults, ...settings }
  const method = ({ method = 'GET' }: { method?: string | undefined }): string =>
    method === 'GET' ? 'GET' : 'POST'
  return [
    `  report: ${method(poll)} ${poll.endpoint} until "${status}" is ${ready.join(' or ')}, first after ${interval} s, for at most ${maxWait} s`,
    `  report: ${method(download)} ${download.endpoint}`,
  ]
}
