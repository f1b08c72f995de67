import * as z from 'zod/mini'
import type { JobBody } from '../../lib/wire/job-body.ts'
import { tableOfJob } from '../../lib/wire/job-results.ts'
import { path } from './api-client.ts'

export const tablePath = (id: string): string => path`/console/tables/${id}`
export const runPath = (id: string): string => path`/console/runs/${id}`
export const jobPath = (id: number | string): string => path`/console/jobs/${id}`
export const configurationPath = (componentId: string, id: string): string =>
  path`/console/configurations/${componentId}/${id}`

export const TableLink = ({ id }: { id: string | undefined }) =>
  id === undefined ? <span>–</span> : <a href={tablePath(id)}>{id}</a>

export const ConfigurationLink = ({ of }: { of: { componentId: string; configId: string } }) => (
  <a href={configurationPath(of.componentId, of.configId)}>
    {of.componentId}/{of.configId}
  </a>
)

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
  snapshotId: z.optional(z.unknown()),
  /** Of a table that is made: there is no id before its end. */
  params: z.catch(z.optional(z.object({ name: z.optional(z.string()) })), undefined),
  source: z.catch(z.optional(z.object({ fileName: z.optional(z.string()) })), undefined),
})

/** `Import of people.csv into in.c-main.people`: what a job is about, in words. */
export const jobTitle = (job: JobBody, given?: string): string => {
  const { name, snapshotId, params, source } = subject.safeParse(job.operationParams).data ?? {}
  const file = given ?? source?.fileName
  const table = tableOfJob(job) ?? params?.name ?? name ?? 'a table'
  if (job.operationName === 'tableCreate' && snapshotId !== undefined) return `Snapshot back as ${table}`
  const deed = deeds[job.operationName]
  if (deed === undefined) return job.operationName.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return `${file === undefined ? deed : deed.replace(' into', ` of ${file} into`)} ${table}`
}
