import type { JobBody } from '#lib/wire/job-body.ts'
import { tableOfJob } from '#lib/wire/job-results.ts'
import type { RunBody } from '#lib/wire/run-body.ts'

export const tablePath = (id: string): string => `/console/tables/${encodeURIComponent(id)}`

export const JobLink = ({ job }: { job: JobBody }) => (
  <a href={`/console/jobs/${job.id}`}>
    {job.operationName} {job.id}
  </a>
)

export const RunLink = ({ run }: { run: RunBody }) => (
  <a href={`/console/runs/${encodeURIComponent(run.id)}`}>run {run.id}</a>
)

/** The table of a job: the one that it was asked for, or that it made. */
export const TableLink = ({ job }: { job: JobBody }) => {
  const id = tableOfJob(job)
  return id === undefined ? <span>–</span> : <a href={tablePath(id)}>{id}</a>
}

/** Of work that is under way. Its page asks for itself again: the id keeps the focus of the keyboard. */
export const CancelButton = ({ of, id }: { of: 'jobs' | 'runs'; id: string | number }) => (
  <form method="post" action={`/console/${of}/${encodeURIComponent(id)}/cancel`} class="actions">
    <button type="submit" class="btn-outline-danger" id="cancel">
      Cancel
    </button>
  </form>
)
