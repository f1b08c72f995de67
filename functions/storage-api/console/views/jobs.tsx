import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import type { EventBody } from '#lib/wire/event-body.ts'
import type { JobBody } from '#lib/wire/job-body.ts'
import { fileOfJob, replacedRowsOfJob, rowsOfJob, rowsText } from '#lib/wire/job-results.ts'
import { bytes, duration, readable } from '../format.ts'
import { Facts, Problem } from '../layout.tsx'
import { Status, Time } from '../parts.tsx'
import { EventList } from './events.tsx'
import { CancelButton, pathOf, runPath, TableLink } from './links.tsx'

export const Outcome = ({ job }: { job: JobBody }) => {
  const file = fileOfJob(job)
  const rows = rowsOfJob(job)
  if (job.error !== undefined) return <span>{job.error.message}</span>
  if (file !== undefined) return <a href={`/console/files/${file.id}?job=${job.id}`}>The file</a>
  if (job.progress !== undefined) return <span>{rowsText(job.progress.rows, 0)} so far</span>
  return <span>{rows === undefined ? '' : rowsText(rows, replacedRowsOfJob(job))}</span>
}

const isOver = (job: JobBody): boolean => job.status === 'success' || job.status === 'error'

const configuration = z.object({
  componentId: z.string(),
  configId: z.string(),
})

const configurationOf = (job: JobBody): z.infer<typeof configuration> | undefined =>
  job.operationName === 'configurationRun' ? configuration.safeParse(job.operationParams).data : undefined

const subjectOf = (job: JobBody): [string, Child][] => {
  const found = configurationOf(job)
  if (found === undefined) return [['Table', <TableLink job={job} />]]
  const { componentId, configId } = found
  return [
    [
      'Configuration',
      <a href={pathOf(componentId, configId)}>
        {componentId}/{configId}
      </a>,
    ],
  ]
}

/** The run that the job asked for, or the name of the one that it was part of, which may be a client's. */
const RunOfJob = ({ job }: { job: JobBody }) => {
  const asked = configurationOf(job)
  if (asked !== undefined) return <a href={runPath(`run-${job.id}`)}>its pages, rows and tables</a>
  const { runId } = job
  return runId && /^run-\d+$/.test(runId) ? (
    <a href={runPath(runId)}>that it was part of</a>
  ) : (
    <span>{runId || '–'}</span>
  )
}

interface JobDetailProps {
  job: JobBody
  events: readonly EventBody[]
}

/** One job; asks for itself again until it is over. */
export const JobDetail = ({ job, events }: JobDetailProps) => {
  const path = `/console/jobs/${job.id}`
  const live = isOver(job)
    ? {}
    : { 'hx-get': `${path}/live`, 'hx-trigger': 'every 1s', 'hx-swap': 'outerHTML' }
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
          ['Took', duration(job.startTime, job.endTime ?? new Date().toISOString()) || '–'],
          ...subjectOf(job),
          ['Read', bytes(job.metrics.inBytes)],
          ['What became of it', <Outcome job={job} />],
          ['Asked for by', job.creatorToken.description],
          ['Run', <RunOfJob job={job} />],
        ]}
      />
      {!isOver(job) && <CancelButton of="jobs" id={job.id} />}
      <ol>
        <li>
          Accepted <Time at={job.createdTime} />
          {job.startTime === null && ', waiting for its turn'}
        </li>
        {job.startTime !== null && (
          <li>
            Started <Time at={job.startTime} />, after {duration(job.createdTime, job.startTime)}
          </li>
        )}
        {isOver(job) && (
          <li>
            {job.status === 'error' ? 'Failed' : 'Done'} <Time at={job.endTime} />
            {job.startTime !== null && `, after ${duration(job.startTime, job.endTime)}`}
          </li>
        )}
      </ol>
      <h2>Events</h2>
      <EventList events={events} />
      <details>
        <summary>What was asked, and the whole result</summary>
        <pre>{readable({ parameters: job.operationParams, results: job.results })}</pre>
      </details>
    </div>
  )
}
