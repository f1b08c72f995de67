import { bytes, count, duration, readable } from '../format.ts'
import { Facts, Problem, Status } from '../layout.tsx'
import type { Event, Job, WorkLog } from '../schemas.ts'
import { EventList } from './events.tsx'
import { resultsOf, TableLink } from './links.tsx'
import { Logs } from './logs.tsx'

export const Outcome = ({ job }: { job: Job }) => {
  const { file, importedRowsCount } = resultsOf(job)
  if (job.error !== undefined) return <span>{job.error.message}</span>
  if (file !== undefined) return <a href={`/console/files/${file.id}?job=${job.id}`}>File {file.id}</a>
  return <span>{importedRowsCount === undefined ? '' : `${count(importedRowsCount)} rows`}</span>
}

const isOver = (job: Job): boolean => job.status === 'success' || job.status === 'error'

interface JobDetailProps {
  job: Job
  events: readonly Event[]
  /** Of its functions; or why it is not shown. */
  log: WorkLog | { problem: string }
}

/** One job; asks for itself again until it is over. */
export const JobDetail = ({ job, events, log }: JobDetailProps) => {
  const live = isOver(job)
    ? {}
    : { 'hx-get': `/console/jobs/${job.id}/live`, 'hx-trigger': 'every 1s', 'hx-swap': 'outerHTML' }
  return (
    <div {...live} aria-live="polite">
      {job.error !== undefined && (
        <Problem>
          {job.error.message} <code>{job.error.code}</code>
        </Problem>
      )}
      <Facts
        of={[
          ['Status', <Status value={job.status} />],
          ['Operation', job.operationName],
          ['Table', <TableLink job={job} />],
          ['Read', bytes(job.metrics?.inBytes)],
          ['What became of it', <Outcome job={job} />],
          ['Asked for by', job.creatorToken?.description ?? '–'],
          ['Run', job.runId || '–'],
        ]}
      />
      <h2>Steps</h2>
      <ol class="steps">
        <li>
          {job.createdTime} accepted{job.startTime === '' && ', waiting for its turn'}
        </li>
        {job.startTime !== '' && (
          <li>
            {job.startTime} started, after {duration(job.createdTime, job.startTime)}
          </li>
        )}
        {isOver(job) && (
          <li>
            {job.endTime} {job.status === 'error' ? 'failed' : 'done'}
            {job.startTime !== '' && `, after ${duration(job.startTime, job.endTime)}`}
          </li>
        )}
      </ol>
      <h2>Result</h2>
      <pre>{readable(job.results) || '–'}</pre>
      <h2>Parameters</h2>
      <pre>{readable(job.operationParams)}</pre>
      <h2>Events</h2>
      <EventList events={events} />
      <Logs log={log} />
    </div>
  )
}
