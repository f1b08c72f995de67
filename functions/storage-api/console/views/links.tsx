import * as z from 'zod/mini'
import type { JobBody } from '#lib/wire/job-body.ts'
import { tableOfJob } from '#lib/wire/job-results.ts'
import type { RunBody } from '#lib/wire/run-body.ts'

/** Path of a configuration's page. Ids may hold any character. */
export const pathOf = (componentId: string, configurationId: string): string =>
  `/console/configurations/${encodeURIComponent(componentId)}/${encodeURIComponent(configurationId)}`

export const tablePath = (id: string): string => `/console/tables/${encodeURIComponent(id)}`

/** What a job does to a table, by its operation. */
const deeds: Readonly<Record<string, string>> = {
  tableCreate: 'Import into',
  tableImport: 'Import into',
  tableDefinitionCreate: 'New table',
  tableExport: 'Export of',
  tableUpdate: 'Renaming of',
  tableColumnAdd: 'New column of',
  tableColumnDelete: 'Removal of a column of',
  tableRowsDelete: 'Deletion of rows of',
  tableSnapshotCreate: 'Snapshot of',
  tableRestore: 'Restoration of',
  tableDrop: 'Deletion of',
}

const subject = z.object({
  name: z.optional(z.string()),
  componentId: z.optional(z.string()),
  configId: z.optional(z.string()),
  snapshotId: z.optional(z.unknown()),
  /** Of a table that is made: there is no id before its end. */
  params: z.catch(z.optional(z.object({ name: z.optional(z.string()) })), undefined),
  source: z.catch(z.optional(z.object({ fileName: z.optional(z.string()) })), undefined),
})

/** `Import of people.csv into in.c-main.people`: what a job is about, in words. */
export const jobTitle = (job: JobBody, given?: string): string => {
  const { name, configId, snapshotId, params, source } = subject.safeParse(job.operationParams).data ?? {}
  const file = given ?? source?.fileName
  if (job.operationName === 'configurationRun') return `Run of ${configId ?? 'a configuration'}`
  const table = tableOfJob(job) ?? params?.name ?? name ?? 'a table'
  if (job.operationName === 'tableCreate' && snapshotId !== undefined) return `Snapshot back as ${table}`
  const deed = deeds[job.operationName]
  if (deed === undefined) return job.operationName.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return `${file === undefined ? deed : deed.replace(' into', ` of ${file} into`)} ${table}`
}

export const JobLink = ({ job }: { job: JobBody }) => <a href={`/console/jobs/${job.id}`}>{jobTitle(job)}</a>

export const runPath = (id: string): string => `/console/runs/${encodeURIComponent(id)}`

export const RunLink = ({ run }: { run: RunBody }) => <a href={runPath(run.id)}>Run of {run.configId}</a>

/** The table of a job: the one that it was asked for, or that it made. */
export const TableLink = ({ job }: { job: JobBody }) => {
  const id = tableOfJob(job)
  return id === undefined ? <span>–</span> : <a href={tablePath(id)}>{id}</a>
}

/** Of a configuration, whose path it gets. */
export const RunButton = ({ path, verb }: { path: string; verb: string }) => (
  <form method="post" action={`${path}/run`}>
    <button type="submit" class="btn-primary">
      {verb}
    </button>
  </form>
)

/** Of work that is under way. Its page asks for itself again: the id keeps the focus of the keyboard. */
export const CancelButton = ({ of, id }: { of: 'jobs' | 'runs'; id: string | number }) => (
  <form method="post" action={`/console/${of}/${encodeURIComponent(id)}/cancel`} class="actions">
    <button type="submit" class="btn-outline-danger" id="cancel">
      Cancel
    </button>
  </form>
)
