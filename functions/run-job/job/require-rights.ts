import { UserError } from '../../lib/errors/errors.ts'
import { maySeeFile } from '../../lib/storage/files/file-store.ts'
import type { JobInput, JobRecord } from '../../lib/storage/jobs/job-record.ts'
import {
  bucketOfTable,
  mayUseBucket,
  noRights,
  type Rights,
  rightsOf,
} from '../../lib/storage/tokens/rights.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from './services.ts'

type Services = Pick<RunJobServices, 'tokens' | 'files' | 'snapshots' | 'tables' | 'now'>

/** What a job needs, beside that the token which asked for it is still there. */
type Need =
  | { bucketId: string; permission: BucketPermission }
  | { snapshotId: number; permission: BucketPermission }
  | { fileId: number }
  /** To read the source, if the table is an alias; with `columns` only if it does not show all of them. */
  | { sourceOf: string; columns?: string[]; permission: BucketPermission }

const onTable = (tableId: string, permission: BucketPermission = 'write'): Need => ({
  bucketId: bucketOfTable(tableId),
  permission,
})
const ofSource = (tableId: string, columns?: string[]): Need => ({
  sourceOf: tableId,
  permission: 'read',
  ...(columns && { columns }),
})
const ofFile = (fileId: number | undefined): Need[] => (fileId === undefined ? [] : [{ fileId }])

/** The rights that the routes ask for, of the request that is stored. */
const needsOf = (input: JobInput): Need[] => {
  switch (input.operationName) {
    case 'tableCreate': {
      const into: Need = { bucketId: input.bucketId, permission: 'write' }
      const { source } = input
      if (source.type === 'table') return [into, onTable(source.tableId, 'read')]
      if (source.type === 'snapshot') return [into, { snapshotId: source.snapshotId, permission: 'read' }]
      return [into, ...ofFile(source.fileId)]
    }
    case 'tableDefinitionCreate':
      return [{ bucketId: input.bucketId, permission: 'write' }]
    case 'tableImport':
      return [onTable(input.tableId), ...ofFile(input.fileId)]
    case 'tableExport': {
      const { where, orderBy } = input.selection
      const named = [...where, ...orderBy].map(({ column }) => column)
      return [onTable(input.tableId, 'read'), ...(named.length > 0 ? [ofSource(input.tableId, named)] : [])]
    }
    case 'tableColumnAdd':
    case 'tableColumnDelete':
      return [onTable(input.tableId), ofSource(input.tableId)]
    case 'tableUpdate':
    case 'tableColumnDefinitionUpdate':
    case 'tableDefinitionUpdate':
    case 'tablePrimaryKeyAdd':
    case 'tablePrimaryKeyDelete':
    case 'tableRowsDelete':
    case 'tableSnapshotCreate':
    case 'tableDrop':
    case 'tablePull':
      return [onTable(input.tableId)]
    case 'tableSwap':
      return [onTable(input.tableId), onTable(input.targetTableId)]
    case 'tableRestore':
      return [onTable(input.tableId), { snapshotId: input.snapshotId, permission: 'read' }]
    case 'tableSnapshotDelete':
      return [{ snapshotId: input.snapshotId, permission: 'write' }]
    case 'bucketDelete':
    case 'bucketUpdate':
      return [{ bucketId: input.bucketId, permission: 'manage' }]
    // Nobody but the one who made it, or the master token, asks for this.
    case 'fileDelete':
      return []
    // Only the master token asks for these.
    case 'devBranchCreate':
    case 'devBranchDelete':
      return []
    // The run looks for the rights of all that stored it, when it begins and at each of its steps.
    case 'configurationRun':
      return []
    // It gives no right: what its queries read is looked at with each of them. Only who made it has it deleted.
    case 'workspaceCreate':
    case 'workspaceDelete':
      return []
  }
}

/**
 * A job that waited has the rights that the token which asked for it has now.
 *
 * Error: 403 `accessDenied` when the token was deleted, has expired, or may not do any more what it asked for.
 */
export const requireRights = async (
  job: Pick<JobRecord, 'input' | 'creatorToken' | 'isByMaster'>,
  services: Services,
): Promise<void> => {
  // The run of a trigger is asked for by nobody, and what the service does by itself neither.
  if (job.isByMaster !== false) return
  const { id: tokenId } = job.creatorToken
  const rights = rightsOf(await services.tokens.get(Number(tokenId)), services.now())
  if (rights === noRights) throw refused(job, 'was deleted or has expired')
  for (const need of needsOf(job.input)) await requireNeed(need, { tokenId, rights }, job, services)
}

const requireNeed = async (
  need: Need,
  { tokenId, rights }: { tokenId: string; rights: Rights },
  job: Pick<JobRecord, 'creatorToken'>,
  services: Services,
): Promise<void> => {
  if ('fileId' in need) {
    const file = await services.files.getReadable(need.fileId)
    if (file && !maySeeFile({ ...rights, tokenId }, file))
      throw refused(job, `may not read the file ${need.fileId} any more`)
    return
  }
  const bucketId = await bucketOf(need, services)
  // What is not there any more the work itself will say.
  if (bucketId !== undefined && !mayUseBucket(rights, bucketId, need.permission))
    throw refused(job, `may not ${need.permission} the bucket "${bucketId}" any more`)
}

const bucketOf = async (
  need: Exclude<Need, { fileId: number }>,
  { snapshots, tables }: Services,
): Promise<string | undefined> => {
  if ('bucketId' in need) return need.bucketId
  if ('snapshotId' in need) {
    const kept = await snapshots.get(need.snapshotId)
    return kept && bucketOfTable(kept.table.id)
  }
  const table = await tables.getHead(need.sourceOf)
  if (!table?.alias) return undefined
  const shown = columnNames(table.snapshot)
  const isShown = need.columns?.every(column => shown.includes(column)) === true
  return isShown ? undefined : bucketOfTable(table.alias.record.sourceTableId)
}

const refused = ({ creatorToken: { id, description } }: Pick<JobRecord, 'creatorToken'>, why: string) =>
  new UserError(
    'accessDenied',
    `The job was not done: the token "${description}" (${id}), which asked for it, ${why}. Send the request again with a token that may.`,
  )
