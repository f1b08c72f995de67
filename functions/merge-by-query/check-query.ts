import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import type { PackedTable } from '../lib/distributed/merge-notes.ts'
import { isAboutRights, MissingGrant } from '../lib/distributed/missing-grant.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { MergeServices } from './services.ts'

const LONGEST_WAIT_SECONDS = 60
/** A query that has run for ten times as long is asked for after one second more. */
const PATIENCE = 10

type QueryState = { queryId: string } & ({ status: 'running'; waitSeconds: number } | { status: 'succeeded' })

/**
 * Asks once for the state of a query. Error: 400 `storage.tables.distributed.queryFailed`, or `MissingGrant` when it failed
 * for the rights of the stack; what it leaves behind then goes with the sweep, since cleaning up needs rights too.
 */
export const checkQuery = async (
  { jobId, queryId, packed }: { jobId: number; queryId: string; packed: PackedTable | undefined },
  services: MergeServices,
): Promise<QueryState> => {
  const { queries, queryTimeoutSeconds, measure, now } = services
  const { state, reason, submitted, scannedBytes } = await queries.status(queryId)
  const ageSeconds = (now().getTime() - submitted.getTime()) / 1000
  if (state !== 'running') measure({ QueryBytes: scannedBytes, QuerySeconds: ageSeconds })
  if (state === 'succeeded') return { status: 'succeeded', queryId }
  if (state === 'running' && ageSeconds <= queryTimeoutSeconds) {
    const waitSeconds = Math.min(LONGEST_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE)))
    return { status: 'running', waitSeconds, queryId }
  }
  if (state === 'failed' && isAboutRights(reason)) throw new MissingGrant(reason)
  // What it commits now is in a table that nobody reads.
  if (state === 'running') await queries.stop(queryId)
  await cleanUpMerge(jobId, services)
  const what =
    state === 'running'
      ? `did not end within ${queryTimeoutSeconds} seconds and was stopped`
      : `failed: ${reason}`
  throw new UserError(
    'storage.tables.distributed.queryFailed',
    packed
      ? `Athena's query ${queryId} that packs the files of the table "${packed.tableId}" ${what}. The table is as it was. ` +
          'Allow queries more (docs/limits.md), or leave the table as it is.'
      : `The load is too large for one function, and Athena's query ${queryId} for it ${what}. The table is as it was. ` +
          'Load a smaller file, or allow queries more (docs/limits.md).',
  )
}
