import pMap from 'p-map'
import { currentSchema } from '../iceberg/metadata/parse-metadata.ts'
import type { IcebergSnapshot, TableMetadata } from '../iceberg/metadata/table-metadata.ts'
import type { ObjectReader } from '../iceberg/object-reader.ts'
import { type LiveFile, readLiveFiles } from '../iceberg/read/live-files.ts'
import { findSnapshot } from '../iceberg/read/read-manifests.ts'
import { IcebergRefusal } from '../iceberg/refusal.ts'
import { parseValue } from '../iceberg/values/bounds.ts'
import { TIMESTAMP_ID } from '../table-engine/snapshot.ts'
import type { MetadataFile } from './glue-catalog.ts'

interface CheckCommitRequest {
  read: ObjectReader
  /** Bytes of an object, `undefined` when there is none. */
  sizeOf: (location: string) => Promise<number | undefined>
  /** What the query was given. */
  base: MetadataFile
  /** What the query committed. */
  committed: MetadataFile
  query: {
    submitted: Date
    completed: Date
    /** Rows that the query says it has written; 0: it does not say. */
    updatedRows: number
  }
  /** The `_timestamp` of every row that the query writes. */
  loadedAt: Date
}

/**
 * Checks that a commit is the one that our query made on top of what we gave it, and whole. Resolves to its files.
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
  checkTable(base.metadata, committed.metadata)
  const snapshot = checkParent(base, committed.metadata)
  checkQueryId(snapshot, query)
  const before = await readLiveFiles(read, base.metadata)
  const live = await readLiveFiles(read, committed.metadata)
  checkRows({ before, live, snapshot, updatedRows: query.updatedRows })
  checkTimes(before, live, request)
  await checkObjects(before, live, request)
  return live
}

/** It is the same table with the same columns. */
const checkTable = (base: TableMetadata, committed: TableMetadata): void => {
  for (const name of ['table-uuid', 'location', 'format-version'] as const)
    if (committed[name] !== base[name])
      throw new IcebergRefusal(`The commit has the ${name} ${committed[name]} instead of ${base[name]}.`)
  if (JSON.stringify(currentSchema(committed).fields) !== JSON.stringify(currentSchema(base).fields))
    throw new IcebergRefusal('The commit has other columns than the table.')
}

/** It follows what we gave, with one snapshot. */
const checkParent = (base: MetadataFile, committed: TableMetadata): IcebergSnapshot => {
  const previous = committed['metadata-log'].at(-1)?.['metadata-file']
  if (previous !== base.location)
    throw new IcebergRefusal(`The commit follows the metadata file ${previous}, not ${base.location}.`)
  const snapshot = findSnapshot(committed)
  const parent = snapshot?.['parent-snapshot-id']
  const expected = base.metadata['current-snapshot-id']
  if (!snapshot || parent !== expected)
    throw new IcebergRefusal(
      `The commit's parent is the snapshot ${parent ?? 'none'}, not ${expected ?? 'none'}.`,
    )
  return snapshot
}

const CLOCK_SLACK_MS = 60_000

/** The engine's own id begins with the time at which the query started: `20250401_023623_00108_u4nkm`. */
const checkQueryId = (
  { summary }: IcebergSnapshot,
  { submitted, completed }: CheckCommitRequest['query'],
): void => {
  const id = summary['trino_query_id']
  if (id === undefined) return
  const [, date, time] = /^(\d{8})_(\d{6})_/.exec(id) ?? []
  const startedMs = Date.parse(
    `${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
  )
  const isOurs =
    startedMs >= submitted.getTime() - CLOCK_SLACK_MS && startedMs <= completed.getTime() + CLOCK_SLACK_MS
  if (!isOurs) throw new IcebergRefusal(`The commit is of the query ${id}, which did not run when ours did.`)
}

const byPath = (files: readonly LiveFile[]): Map<string, LiveFile> =>
  new Map(files.map(live => [live.file.path, live]))

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Counts of the files, of the snapshot's summary and of the query's result agree. */
const checkRows = ({
  before,
  live,
  snapshot,
  updatedRows,
}: {
  before: LiveFile[]
  live: LiveFile[]
  snapshot: IcebergSnapshot
  updatedRows: number
}): void => {
  const known = byPath(before)
  const kept = byPath(live)
  const changed = live.find(({ file }) => {
    const old = known.get(file.path)?.file
    return old && (old.rows !== file.rows || old.bytes !== file.bytes)
  })
  if (changed)
    throw new IcebergRefusal(`The commit lists the file ${changed.file.path} with other counts than before.`)
  const equality = live.find(({ equalityDeletes }) => equalityDeletes.length > 0)
  if (equality)
    throw new IcebergRefusal(
      `The rows of ${equality.file.path} are deleted by equality, which other writers do.`,
    )
  const deleting = before.length === 0 && live.find(({ positionDeletes }) => positionDeletes.length > 0)
  if (deleting)
    throw new IcebergRefusal(`The commit deletes rows of ${deleting.file.path}, and the table had none.`)
  const added = sum(live.filter(({ file }) => !known.has(file.path)).map(({ file }) => file.rows))
  const lost = before.find(({ file }) => !kept.has(file.path))
  // A merge replaces rows: it never takes a file away without writing as many rows.
  const gone = sum(before.filter(({ file }) => !kept.has(file.path)).map(({ file }) => file.rows))
  if (lost && gone > added)
    throw new IcebergRefusal(`The commit drops the file ${lost.file.path} and writes only ${added} rows.`)
  const expectations: [string, number | undefined, number][] = [
    ['the query says that it wrote', updatedRows || undefined, added],
    ['its summary says that it adds', countOf(snapshot, 'added-records'), added],
    [
      'its summary says that there are',
      countOf(snapshot, 'total-records'),
      sum(live.map(({ file }) => file.rows)),
    ],
    ['its summary says that there are files, in number', countOf(snapshot, 'total-data-files'), live.length],
  ]
  for (const [what, said, found] of expectations)
    if (said !== undefined && said !== found)
      throw new IcebergRefusal(`The commit is not whole: ${what} ${said}, and its manifests have ${found}.`)
}

const countOf = ({ summary }: IcebergSnapshot, name: string): number | undefined =>
  summary[name] === undefined ? undefined : Number(summary[name])

/** New rows have the time of our load, and no other: so nobody else's rows are among them. */
const checkTimes = (before: LiveFile[], live: LiveFile[], { loadedAt }: CheckCommitRequest): void => {
  const known = byPath(before)
  const expected = Date.parse(loadedAt.toISOString())
  for (const { file } of live) {
    if (known.has(file.path)) continue
    const { lower, upper } = file.columns.get(TIMESTAMP_ID) ?? {}
    for (const bound of [lower, upper]) {
      const time = bound && Date.parse(String(parseValue('timestamptz', bound)))
      if (time !== undefined && time !== expected)
        throw new IcebergRefusal(
          `The file ${file.path} has rows of another load (${new Date(time).toISOString()}).`,
        )
    }
  }
}

const REQUESTS = 16

/** Each new file is there, with the size that its manifest says. */
const checkObjects = async (
  before: LiveFile[],
  live: LiveFile[],
  { sizeOf }: CheckCommitRequest,
): Promise<void> => {
  const pathsOf = (files: LiveFile[]) =>
    files
      .flatMap(({ file, positionDeletes }) => [file, ...positionDeletes])
      .map(file => [file.path, file.bytes] as const)
  const known = new Set(pathsOf(before).map(([path]) => path))
  const added = new Map(pathsOf(live).filter(([path]) => !known.has(path)))
  await pMap(
    added,
    async ([path, bytes]) => {
      const size = await sizeOf(path)
      if (size === undefined)
        throw new IcebergRefusal(`The commit names the file ${path}, which is not there.`)
      if (size !== bytes)
        throw new IcebergRefusal(`The file ${path} has ${size} bytes, and the commit says ${bytes}.`)
    },
    { concurrency: REQUESTS },
  )
}
