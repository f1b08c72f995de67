import pMap from 'p-map'
import type { MetadataFile } from '../iceberg/glue/glue-catalog.ts'
import { currentSchema } from '../iceberg/metadata/parse-metadata.ts'
import type { IcebergSnapshot, TableMetadata } from '../iceberg/metadata/table-metadata.ts'
import type { ObjectReader } from '../iceberg/object-reader.ts'
import { type LiveFile, readLiveFiles } from '../iceberg/read/live-files.ts'
import { findSnapshot } from '../iceberg/read/read-manifests.ts'
import { IcebergRefusal } from '../iceberg/refusal.ts'
import { parseValue } from '../iceberg/values/bounds.ts'
import { TIMESTAMP_ID } from '../table-engine/files/snapshot.ts'

/** A commit of a query of ours, and what the query was given. */
export interface QueryCommit {
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
}

/** It is the same table with the same columns. */
const checkTable = (base: TableMetadata, committed: TableMetadata): void => {
  for (const name of ['table-uuid', 'location', 'format-version'] as const)
    if (committed[name] !== base[name])
      throw new IcebergRefusal(`The commit has the ${name} ${committed[name]} instead of ${base[name]}.`)
  if (JSON.stringify(currentSchema(committed).fields) !== JSON.stringify(currentSchema(base).fields))
    throw new IcebergRefusal('The commit has other columns than the table.')
}

/**
 * It follows what we gave, with one snapshot. Other files of metadata may lie between: after an OPTIMIZE Trino commits the
 * statistics of the table once more.
 */
const checkParent = (base: MetadataFile, committed: TableMetadata): IcebergSnapshot => {
  const followed = committed['metadata-log'].map(entry => entry['metadata-file'])
  if (!followed.includes(base.location))
    throw new IcebergRefusal(`The commit follows the metadata file ${followed.at(-1)}, not ${base.location}.`)
  const known = new Set(base.metadata.snapshots.map(({ 'snapshot-id': id }) => id))
  const added = committed.snapshots.filter(({ 'snapshot-id': id }) => !known.has(id))
  if (added.length !== 1) throw new IcebergRefusal(`The commit adds ${added.length} snapshots, not one.`)
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
const checkQueryId = ({ summary }: IcebergSnapshot, { submitted, completed }: QueryCommit['query']): void => {
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

export const byPath = (files: readonly LiveFile[]): Map<string, LiveFile> =>
  new Map(files.map(live => [live.file.path, live]))

export const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Files that were there before are listed as before, and none has rows deleted by equality. */
const checkKnownFiles = (before: readonly LiveFile[], live: readonly LiveFile[]): void => {
  const known = byPath(before)
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
}

interface ReadCommit {
  /** The one that it adds. */
  snapshot: IcebergSnapshot
  /** Files of the table that the query was given. */
  before: LiveFile[]
  /** Files of the table that it committed. */
  live: LiveFile[]
}

/**
 * Reads a commit and checks what holds for every query of ours: one snapshot on top of what the query was given, in the same table, made
 * while the query ran, with the files of before as they were.
 */
export const readCommit = async ({ read, base, committed, query }: QueryCommit): Promise<ReadCommit> => {
  checkTable(base.metadata, committed.metadata)
  const snapshot = checkParent(base, committed.metadata)
  checkQueryId(snapshot, query)
  const before = await readLiveFiles(read, base.metadata)
  const live = await readLiveFiles(read, committed.metadata)
  checkKnownFiles(before, live)
  return { snapshot, before, live }
}

/** Rows in the files that are new. */
export const addedRows = (before: readonly LiveFile[], live: readonly LiveFile[]): number => {
  const known = byPath(before)
  return sum(live.filter(({ file }) => !known.has(file.path)).map(({ file }) => file.rows))
}

/** Counts of the manifests, of the snapshot's summary and of the query's result agree. */
export const checkCounts = (
  before: readonly LiveFile[],
  live: readonly LiveFile[],
  { snapshot, updatedRows }: { snapshot: IcebergSnapshot; updatedRows: number },
): void => {
  const added = addedRows(before, live)
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

/** The first and the last `_timestamp` of a file's rows, in milliseconds, as far as its manifest says. */
export const timesOf = ({ file }: LiveFile): number[] => {
  const { lower, upper } = file.columns.get(TIMESTAMP_ID) ?? {}
  return [lower, upper].flatMap(bound =>
    bound ? [Date.parse(String(parseValue('timestamptz', bound)))] : [],
  )
}

const REQUESTS = 16

/** Each new file is there, with the size that its manifest says. */
export const checkObjects = async (
  before: readonly LiveFile[],
  live: readonly LiveFile[],
  { sizeOf }: Pick<QueryCommit, 'sizeOf'>,
): Promise<void> => {
  const pathsOf = (files: readonly LiveFile[]) =>
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
