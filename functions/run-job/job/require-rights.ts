import { UserError } from '../../lib/errors/errors.ts'
import { maySeeFile } from '../../lib/storage/files/file-store.ts'
import { kindOf, type Need } from '../../lib/storage/jobs/job-kinds.ts'
import type { JobRecord } from '../../lib/storage/jobs/job-record.ts'
import {
  bucketOfTable,
  mayUseBucket,
  noRights,
  type Rights,
  rightsOf,
} from '../../lib/storage/tokens/rights.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from './services.ts'

type Services = Pick<RunJobServices, 'tokens' | 'files' | 'snapshots' | 'tables' | 'now'>

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
  for (const need of kindOf(job.input).needs?.(job.input) ?? [])
    await requireNeed(need, { tokenId, rights }, job, services)
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
