import type { EventBody } from '#lib/wire/event-body.ts'
import type { JobBody } from '#lib/wire/job-body.ts'
import { fileOfJob, replacedRowsOfJob, rowsOfJob, rowsText } from '#lib/wire/job-results.ts'
import type { LogLinesBody } from '#lib/wire/run-body.ts'
import { bytes, duration, readable } from '../format.ts'
import { Facts, Problem, Status } from '../layout.tsx'
import { EventList } from './events.tsx'
import { TableLink } from './links.tsx'
import { Logs } from './logs.tsx'

export const Outcome = ({ job }: { job: JobBody }) => {
  const file = fileOfJob(job)
  const rows = rowsOfJob(job)
  if (job.error !== undefined) return <span>{job.error.message}</span>
  if (file !== undefined) return <a href={`/console/files/${file.id}?job=${job.id}`}>File {file.id}</a>
  return <span>{rows === undefined ? '' : rowsText(rows, replacedRowsOfJob(job))}</span>
}

const isOver = (job: JobBody): boolean => job.status === 'success' || job.status === 'error'

interface JobDetailProps {
  job: JobBody
  events: readonly EventBody[]
  /** Of its functions; or why it is not shown. */
  log: LogLinesBody | { problem: string }
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
          ['Read', bytes(job.metrics.inBytes)],
          ['What became of it', <Outcome job={job} />],
          ['Asked for by', job.creatorToken.description],
          ['Run', job.runId || '–'],
        ]}
      />
      <h2>Steps</h2>
      <ol class="steps">
        <li>
          {job.createdTime} accepted{job.startTime === null && ', waiting for its turn'}
        </li>
        {job.startTime !== null && (
          <li>
            {job.startTime} started, after {duration(job.createdTime, job.startTime)}
          </li>
        )}
        {isOver(job) && (
          <li>
            {job.endTime} {job.status === 'error' ? 'failed' : 'done'}
            {job.startTime !== null && `, after ${duration(job.startTime, job.endTime)}`}
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
