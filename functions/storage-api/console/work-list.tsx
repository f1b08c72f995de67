import type { Child } from 'hono/jsx'
import type { JobBody } from '../../lib/wire/job-body.ts'
import { fileOfJob, replacedRowsOfJob, rowsOfJob, rowsText, tableOfJob } from '../../lib/wire/job-results.ts'
import { type RunBody, shownStatus } from '../../lib/wire/run-body.ts'
import { type ConfigurationNames, nameIn } from './configuration-names.ts'
import { count, duration, spent } from './format.ts'
import { ConfigurationLink, jobPath, jobTitle, runPath, TableLink } from './links.tsx'
import { List } from './list.tsx'
import { Status, Time } from './parts.tsx'

/** A job or a run. */
interface Work {
  at: string
  status: string
  link: Child
  of: Child
  took: string
  outcome: Child
}

/** What became of a job. */
export const outcomeOf = (job: JobBody): Child => {
  const file = fileOfJob(job)
  const rows = rowsOfJob(job)
  if (job.error !== undefined) return job.error.message
  if (file !== undefined) return <a href={`/console/files/${file.id}`}>The file</a>
  if (job.progress !== undefined) return `${rowsText(job.progress.rows, 0)} so far`
  return rows === undefined ? '' : rowsText(rows, replacedRowsOfJob(job))
}

const workOfJob = (job: JobBody): Work => ({
  at: job.createdTime,
  status: job.status,
  link: <a href={jobPath(job.id)}>{jobTitle(job)}</a>,
  of: <TableLink id={tableOfJob(job)} />,
  took: duration(job.startTime, job.endTime),
  outcome: outcomeOf(job),
})

const workOfRun = (run: RunBody, names: ConfigurationNames): Work => ({
  at: run.createdTime,
  status: shownStatus(run),
  link: <a href={runPath(run.id)}>Run of {nameIn(names, run)}</a>,
  of: <ConfigurationLink of={run} />,
  took: run.durationSeconds === null ? '' : spent(run.durationSeconds),
  outcome: run.error?.message ?? `${count(run.rowsLoaded)} rows`,
})

/** Jobs and runs, newest first: a job that is a run is among the runs. */
export const workOf = (
  jobs: readonly JobBody[],
  runs: readonly RunBody[],
  names: ConfigurationNames,
): Work[] => {
  const others = jobs.filter(({ operationName }) => operationName !== 'configurationRun')
  const work = [...others.map(workOfJob), ...runs.map(run => workOfRun(run, names))]
  return work.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

export const WorkList = ({ of, empty }: WorkListProps) => (
  <List
    caption="Jobs and runs"
    of={of}
    empty={empty}
    columns={[
      ['What', ({ link, outcome }) => [link, <div class="outcome">{outcome}</div>], 'name'],
      ['Status', ({ status }) => <Status value={status} />],
      ['Of', work => work.of],
      ['When', ({ at }) => <Time at={at} />],
      ['Took', ({ took }) => took, 'number'],
    ]}
  />
)

interface WorkListProps {
  of: readonly Work[]
  /** In place of the list when there is none. */
  empty: Child
}
