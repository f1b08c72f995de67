import type { ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { withAliasColumn, withoutAliasColumn } from '../../lib/storage/tables/aliases/alias-columns.ts'
import type { AliasRecord } from '../../lib/storage/tables/aliases/alias-record.ts'
import { changeAlias } from '../../lib/storage/tables/aliases/change-alias.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { tableIdOf } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from '../services.ts'

/** Shows one more column of the source. */
export const addAliasColumn = (
  job: ProcessingJob,
  alias: AliasRecord,
  { name }: { name: string },
  services: RunJobServices,
) => changeColumns(job, alias, services, table => withAliasColumn(table, name))

/** Shows one column less. The source keeps it. */
export const deleteAliasColumn = async (
  job: ProcessingJob,
  alias: AliasRecord,
  { name }: { name: string },
  services: RunJobServices,
) => {
  const changed = await changeColumns(job, alias, services, table => withoutAliasColumn(table, name))
  await services.metadata.clear(metadataSubject.table(alias), name)
  return changed
}

/** The alias stores the job, so that a repeated run finds its work done. */
const changeColumns = async (
  job: ProcessingJob,
  alias: AliasRecord,
  services: RunJobServices,
  columnsOf: (table: Parameters<typeof withAliasColumn>[0]) => string[],
): Promise<{ results: null }> => {
  const change = async (current: AliasRecord): Promise<AliasRecord> => {
    if (current.lastJobId === job.id) return current
    const table = await services.tables.getHead(tableIdOf(current))
    if (!table || !isAliased(table)) throw tableNotFound(tableIdOf(current), services.projectId)
    return { ...current, columns: columnsOf(table), lastJobId: job.id }
  }
  await changeAlias(alias, change, services)
  return { results: null }
}
