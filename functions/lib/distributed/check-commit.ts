import { type LiveFile, readLiveFiles } from '../iceberg/read/live-files.ts'
import { IcebergRefusal } from '../iceberg/refusal.ts'
import {
  addedRows,
  byPath,
  checkCounts,
  checkObjects,
  type QueryCommit,
  readCommit,
  sum,
  timesOf,
} from './commit-checks.ts'

interface CheckCommitRequest extends QueryCommit {
  /** The `_timestamp` of every row that the query writes. */
  loadedAt: Date
}

/**
 * Checks that a commit is the one that our merge made on top of what we gave it, and whole. Resolves to its files.
 *
 * Throws `IcebergRefusal`, whose sentence says what is wrong. A query that found nothing to change has no commit.
 */
export const checkCommit = async (request: CheckCommitRequest): Promise<LiveFile[]> => {
  const { read, base, committed, query } = request
  if (committed.location === base.location) {
    if (query.updatedRows > 0)
      throw new IcebergRefusal(`The query wrote ${query.updatedRows} rows, and the table is unchanged.`)
    return readLiveFiles(read, base.metadata)
  }
  const { snapshot, before, live } = await readCommit(request)
  checkReplacedRows(before, live)
  checkCounts(before, live, { snapshot, updatedRows: query.updatedRows })
  checkTimes(before, live, request)
  await checkObjects(before, live, request)
  return live
}

/** A merge replaces rows: it never takes a file away without writing as many rows, and deletes none where there are none. */
const checkReplacedRows = (before: readonly LiveFile[], live: readonly LiveFile[]): void => {
  const deleting = before.length === 0 && live.find(({ positionDeletes }) => positionDeletes.length > 0)
  if (deleting)
    throw new IcebergRefusal(`The commit deletes rows of ${deleting.file.path}, and the table had none.`)
  const kept = byPath(live)
  const lost = before.filter(({ file }) => !kept.has(file.path))
  const added = addedRows(before, live)
  const [first] = lost
  if (first && sum(lost.map(({ file }) => file.rows)) > added)
    throw new IcebergRefusal(`The commit drops the file ${first.file.path} and writes only ${added} rows.`)
}

/** New rows have the time of our load, and no other: so nobody else's rows are among them. */
const checkTimes = (
  before: readonly LiveFile[],
  live: readonly LiveFile[],
  { loadedAt }: CheckCommitRequest,
): void => {
  const known = byPath(before)
  const other = (file: LiveFile) => timesOf(file).find(time => time !== loadedAt.getTime())
  for (const file of live) {
    if (known.has(file.file.path)) continue
    const time = other(file)
    if (time !== undefined)
      throw new IcebergRefusal(
        `The file ${file.file.path} has rows of another load (${new Date(time).toISOString()}).`,
      )
  }
}
