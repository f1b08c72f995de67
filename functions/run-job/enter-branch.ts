import { UserError } from '../lib/errors/errors.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { branchOf, type JobInput, type ProcessingJob } from '../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from './services.ts'

/**
 * Before the work of a job begins: what it is going to change becomes its branch's own.
 *
 * Error: 404 `notFound` when the branch was deleted while the job waited.
 */
export const enterBranch = async (
  job: ProcessingJob,
  { branches, own }: Pick<RunJobServices, 'branches' | 'own'>,
): Promise<void> => {
  const branchId = branchOf(job)
  if (branchId === defaultBranchId) return
  if (!(await branches.get(branchId)))
    throw new UserError('notFound', `Branch id:"${branchId}" was not found.`)
  const changed = changedBy(job.input)
  if ('tableId' in changed) await own.table(changed.tableId)
  if ('bucketId' in changed) await own.bucket(changed.bucketId)
}

/** The existing table that the work replaces, or the bucket that it changes or adds a table to. */
const changedBy = (input: JobInput): { tableId: string } | { bucketId: string } | Record<never, never> => {
  switch (input.operationName) {
    case 'tableImport':
    case 'tableUpdate':
    case 'tableColumnAdd':
    case 'tableColumnDefinitionUpdate':
    case 'tableColumnDelete':
    case 'tablePrimaryKeyAdd':
    case 'tablePrimaryKeyDelete':
    case 'tableRowsDelete':
    case 'tableOptimize':
      return { tableId: input.tableId }
    case 'tableCreate':
    case 'tableDefinitionCreate':
    case 'bucketDelete':
    case 'bucketUpdate':
      return { bucketId: input.bucketId }
    default:
      return {}
  }
}
