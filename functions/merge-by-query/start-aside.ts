import type { MergeNotes } from '../lib/distributed/merge-notes.ts'
import { mergeTableName, stagingTableName } from '../lib/iceberg/glue/glue-names.ts'
import type { MergeServices } from './services.ts'

/** A query that takes seconds is seen soon; one of minutes is not asked for all the time. */
const FIRST_WAIT_SECONDS = 2

export interface StartedQuery {
  status: 'running'
  queryId: string
  waitSeconds: number
}

/** Starts the query of a job on a table of its own in Glue. Repeated, finds the query. */
export const startAside = async (
  jobId: number,
  { stagingKey, baseKey, statement }: MergeNotes,
  { tableContents: { metadataFile }, catalog, queries }: MergeServices,
): Promise<StartedQuery> => {
  if (stagingKey !== undefined) await catalog.create(stagingTableName(jobId), await metadataFile(stagingKey))
  await catalog.create(mergeTableName(jobId), await metadataFile(baseKey))
  const queryId = await queries.start(jobId, statement)
  return { status: 'running', queryId, waitSeconds: FIRST_WAIT_SECONDS }
}
