import { checkCommit } from '../lib/distributed/check-commit.ts'
import type { MetadataFile } from '../lib/distributed/glue-catalog.ts'
import type { LiveFile } from '../lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '../lib/iceberg/refusal.ts'
import type { MergeServices } from './services.ts'

interface ReadCommitRequest {
  queryId: string
  /** The metadata file that the query was given. */
  baseKey: string
  /** Where Glue points to now. */
  location: string
  /** The `_timestamp` of every row that the query writes. */
  loadedAt: Date
}

/** Reads what a query committed. Throws `IcebergRefusal` when it is not what was asked for, or not whole. */
export const readCommit = async (
  { queryId, baseKey, location, loadedAt }: ReadCommitRequest,
  { tableContents, queries }: MergeServices,
): Promise<{ committed: MetadataFile; live: LiveFile[] }> => {
  const { objects, metadataFile } = tableContents
  const base = await metadataFile(baseKey)
  if (!location.startsWith(`${base.metadata.location}/`))
    throw new IcebergRefusal(`The metadata file ${location} is not in the folder of the table.`)
  const committedKey = objects.keyOf(location)
  if ((await objects.sizeOf(location)) === undefined)
    throw new IcebergRefusal(`The metadata file ${location} is not there.`)
  const committed = await metadataFile(committedKey)
  const { submitted, completed } = await queries.status(queryId)
  const live = await checkCommit({
    read: objects.read,
    sizeOf: objects.sizeOf,
    base,
    committed,
    query: {
      submitted,
      completed: completed ?? submitted,
      updatedRows: await queries.updatedRows(queryId),
    },
    loadedAt,
  })
  return { committed, live }
}
