import { type LiveFile, liveRowsOf, readLiveFiles } from '../iceberg/read/live-files.ts'
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

/**
 * Checks that a commit is the one that our OPTIMIZE made on top of what we gave it: the same rows in other files. Resolves
 * to its files.
 *
 * Throws `IcebergRefusal`, whose sentence says what is wrong. A query that found nothing to pack has no commit.
 */
export const checkPacked = async (request: QueryCommit): Promise<LiveFile[]> => {
  const { read, base, committed } = request
  if (committed.location === base.location) return readLiveFiles(read, base.metadata)
  const { snapshot, before, live } = await readCommit(request)
  checkSameRows(before, live)
  // What the query says about rows is not about those that it has moved.
  checkCounts(before, live, { snapshot, updatedRows: 0 })
  checkTimes(before, live)
  await checkObjects(before, live, request)
  return live
}

const deletesOf = ({ positionDeletes }: LiveFile): string =>
  positionDeletes
    .map(({ path }) => path)
    .sort()
    .join()

/** As many rows come as go, and files that stay have lost none and got none back. */
const checkSameRows = (before: readonly LiveFile[], live: readonly LiveFile[]): void => {
  const known = byPath(before)
  const kept = byPath(live)
  for (const file of live) {
    const old = known.get(file.file.path)
    if (deletesOf(file) !== (old ? deletesOf(old) : ''))
      throw new IcebergRefusal(`The commit changes which rows of ${file.file.path} are deleted.`)
  }
  const gone = sum(before.filter(({ file }) => !kept.has(file.path)).map(liveRowsOf))
  const added = addedRows(before, live)
  if (gone !== added)
    throw new IcebergRefusal(`The commit drops files with ${gone} rows and writes ${added} rows.`)
}

/** Rows keep their times: none is earlier or later than those of the files that go. */
const checkTimes = (before: readonly LiveFile[], live: readonly LiveFile[]): void => {
  const kept = byPath(live)
  const known = byPath(before)
  const gone = before.filter(({ file }) => !kept.has(file.path))
  // A file that says nothing may hold any time.
  if (gone.some(file => timesOf(file).length < 2)) return
  const times = gone.flatMap(timesOf)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  for (const file of live) {
    if (known.has(file.file.path)) continue
    const other = timesOf(file).find(time => time < first || time > last)
    if (other !== undefined)
      throw new IcebergRefusal(
        `The file ${file.file.path} has rows of another load (${new Date(other).toISOString()}).`,
      )
  }
}
