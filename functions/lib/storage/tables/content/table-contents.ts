import type { S3Client } from '@aws-sdk/client-s3'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { MetadataFile } from '#lib/distributed/glue-catalog.ts'
import { adoptCommit } from '#lib/iceberg/commit/adopt-commit.ts'
import { locationsOf, withoutOldSnapshots } from '#lib/iceberg/commit/expire-snapshots.ts'
import type { NewTable } from '#lib/iceberg/commit/new-metadata.ts'
import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import { type CommitRequest, metadataFile, planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import type { TableChange } from '#lib/iceberg/commit/table-change.ts'
import { currentSchema, parseMetadata, schemaById } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import { type LiveFile, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { metadataAt, snapshotAt } from '#lib/iceberg/read/snapshot-at.ts'
import type { SharedDeletes } from '#lib/table-engine/join-deletes.ts'
import { type Snapshot, type TableFile, withFiles } from '#lib/table-engine/snapshot.ts'
import type { TableRecord } from '../table-record.ts'
import {
  addedEntries,
  fieldsById,
  filesChange,
  hasOwnDeletes,
  icebergFields,
  livePaths,
  tableFields,
  tableFileOf,
  tablePaths,
} from './file-entries.ts'
import { createTableObjects } from './table-objects.ts'

const DAY_MS = 86_400_000

/** Each metadata file lists all snapshots, and every commit writes one. */
const MOST_SNAPSHOTS = 500

/** Tables of one container whose metadata stays in memory: up to some hundred KB each. */
const PARSED_METADATA = 10

interface TableContentsOptions {
  s3: S3Client
  tablesBucket: string
  /** How long the snapshots before the current one stay readable. */
  snapshotRetentionDays: number
}

/** What a table was. */
export interface ContentThen {
  snapshot: Snapshot
  /** Columns and key are those of then. */
  isWhole: boolean
}

/** The specification's word for a change of rows ("Snapshots"). Rows whose deletes are gone are there again. */
const operationOf = ({
  added = [],
  removedData,
  removedDeletes,
}: TableChange): NonNullable<TableChange['operation']> => {
  const addsRows = added.some(({ content }) => content === 'data')
  const addsDeletes = added.some(({ content }) => content !== 'data')
  const removes = Boolean(removedData?.size || removedDeletes?.size)
  if (!removes && !addsDeletes) return 'append'
  const isDelete = !addsRows && (Boolean(removedData?.size) || addsDeletes)
  return isDelete ? 'delete' : 'overwrite'
}

/**
 * What tables consist of, as Iceberg metadata in the bucket of tables. A head names a metadata file by its key. Nothing
 * here is ever overwritten.
 */
export const createTableContents = ({ s3, tablesBucket, snapshotRetentionDays }: TableContentsOptions) => {
  const objects = createTableObjects(s3, tablesBucket)
  const { read, keyOf, locationOf } = objects

  // A change of a table needs the same metadata twice: to read the table, and to commit on top of it.
  const parsed = new LRUCache<string, TableMetadata>({ max: PARSED_METADATA })

  const load = async (metadataKey: string): Promise<TableMetadata> => {
    const known = parsed.get(metadataKey)
    if (known) return known
    const metadata = parseMetadata(Buffer.from(await read(locationOf(metadataKey))).toString('utf8'))
    parsed.set(metadataKey, metadata)
    return metadata
  }

  const expireAt = (timeMs: number) => ({
    beforeMs: timeMs - snapshotRetentionDays * DAY_MS,
    keepAtMost: MOST_SNAPSHOTS,
  })

  const commit = async ({
    expire,
    ...request
  }: Omit<CommitRequest, 'read' | 'expire'> & Partial<Pick<CommitRequest, 'expire'>>): Promise<string> => {
    const plan = await planCommit({ ...request, read, expire: expire ?? expireAt(request.timeMs) })
    await objects.write(plan.objects)
    return keyOf(plan.location)
  }

  /**
   * What a query has committed on top of `baseKey`, as the next content of the head that names `headKey`. Resolves to the key of its
   * metadata file.
   */
  const adopt = async (
    { metadata, location }: MetadataFile,
    { baseKey, headKey }: { baseKey: string; headKey: string | undefined },
  ): Promise<string> => {
    if (headKey === undefined || headKey === baseKey) return keyOf(location)
    const head = { metadata: await load(headKey), location: locationOf(headKey) }
    const file = metadataFile(adoptCommit(metadata, head), location)
    await objects.write([file])
    return keyOf(file.location)
  }

  const newTable = ({ internalId }: TableRecord): NewTable => {
    const location = locationOf(`tables/${internalId}`)
    return { uuid: digestUuid(location), location }
  }

  const filesOf = async (metadata: TableMetadata, snapshotId?: bigint): Promise<TableFile[]> => {
    const fields = fieldsById(metadata.schemas.flatMap(schema => schema.fields))
    const live = await readLiveFiles(read, metadata, snapshotId)
    return live.map(file => tableFileOf(file, fields, objects))
  }

  /** Where a file's deletes are shared with others, `join` gives them a file of their own. */
  const takeOver = async (
    { metadata }: MetadataFile,
    live: readonly LiveFile[],
    join: (files: SharedDeletes[]) => Promise<Map<string, NonNullable<TableFile['deletes']>>>,
  ): Promise<TableFile[]> => {
    const fields = fieldsById(metadata.schemas.flatMap(schema => schema.fields))
    const shared = live.filter(file => !hasOwnDeletes(file))
    const joined =
      shared.length === 0
        ? new Map()
        : await join(
            shared.map(({ file, positionDeletes }) => ({
              key: keyOf(file.path),
              deletes: positionDeletes.map(({ path, bytes }) => ({ key: keyOf(path), bytes })),
            })),
          )
    return live
      .map((found): TableFile => {
        if (hasOwnDeletes(found)) return tableFileOf(found, fields, objects)
        const file = tableFileOf({ ...found, positionDeletes: [] }, fields, objects)
        const deletes = joined.get(file.key)
        return deletes ? { ...file, deletes } : file
      })
      .filter(file => file.deletes?.rows !== file.rows)
  }

  return {
    objects,

    takeOver,

    adopt,

    metadataFile: async (metadataKey: string): Promise<MetadataFile> => ({
      metadata: await load(metadataKey),
      location: locationOf(metadataKey),
    }),

    /** Makes a table of its own of files that no table has. Resolves to the key of its metadata file. */
    async stage(
      folder: string,
      { fields, files, timeMs }: { fields: NestedField[]; files: TableFile[]; timeMs: number },
    ): Promise<string> {
      const location = locationOf(folder)
      return commit({
        base: { uuid: digestUuid(location), location },
        change: { operation: 'append', fields, added: addedEntries(files, fields, objects) },
        commitId: 'stage',
        timeMs,
      })
    },

    /** The files of the table's current snapshot. */
    files: async (metadataKey: string): Promise<TableFile[]> => filesOf(await load(metadataKey)),

    /**
     * Writes what the table's snapshot changes against the metadata that its head names, as one commit; a table without
     * metadata gets its first. Resolves to the key of the metadata file, the same when nothing has changed.
     */
    async save(table: TableRecord): Promise<string> {
      const { metadataKey, snapshot, revision, lastLoad, lastJob } = table
      const metadata = metadataKey === undefined ? undefined : await load(metadataKey)
      const before = metadata ? await readLiveFiles(read, metadata) : []
      const { joinedFrom } = snapshot
      const loaded = { fields: snapshot.fields, files: joinedFrom ?? snapshot.files }
      const files = filesChange(livePaths(before), loaded, objects)
      const fields = icebergFields(snapshot.fields)
      const hasSameFields =
        metadata && JSON.stringify(currentSchema(metadata).fields) === JSON.stringify(fields)
      const properties = keyProperty(snapshot, metadata)
      const hasSameProperties = Object.keys(properties).length === 0
      const hasSameFiles = files.added.length + files.removedData.size + files.removedDeletes.size === 0
      if (metadataKey !== undefined && hasSameFields && hasSameProperties && hasSameFiles) return metadataKey
      return commit({
        base: metadata && metadataKey ? { metadata, location: locationOf(metadataKey) } : newTable(table),
        change: {
          ...files,
          operation: operationOf(files),
          fields,
          lastColumnId: snapshot.lastFieldId,
          ...(!hasSameProperties && { properties }),
        },
        ...(joinedFrom && { rewrite: filesChange(tablePaths(joinedFrom, objects), snapshot, objects) }),
        // Two runs of one job may have taken different files along.
        commitId: `${lastLoad.jobId}-${lastJob?.id ?? 0}-${revision}${lastLoad.together ?? ''}`,
        timeMs: Date.parse(table.lastChangeDate ?? table.created),
      })
    },

    /**
     * Lets old snapshots go; with `all`, every one but the current. Resolves to the key of the new metadata file, or `undefined`
     * when there are none.
     */
    async expire(metadataKey: string, now: Date, all = false): Promise<string | undefined> {
      const metadata = await load(metadataKey)
      const timeMs = now.getTime()
      const expire = all ? { beforeMs: Number.POSITIVE_INFINITY } : expireAt(timeMs)
      if (withoutOldSnapshots(metadata, expire).expired.length === 0) return undefined
      const base = { metadata, location: locationOf(metadataKey) }
      return commit({ base, change: {}, commitId: all ? 'forget' : 'expire', timeMs, expire })
    },

    /** The keys of all objects that a metadata file names: of each snapshot that it has, and earlier metadata files. */
    async *namedKeys(metadataKey: string): AsyncGenerator<string> {
      yield metadataKey
      const metadata = await load(metadataKey)
      for (const { 'metadata-file': location } of metadata['metadata-log']) yield keyOf(location)
      for (const { 'statistics-path': location } of metadata.statistics ?? []) yield keyOf(location)
      for (const location of await locationsOf(read, metadata.snapshots)) yield keyOf(location)
    },

    /**
     * The table as it was at a time, with the columns and the key of then. `undefined` when that has expired, or when there
     * was no table yet.
     *
     * The metadata of then is kept for the last changes of a table only. Without it the columns are those of the snapshot, and
     * the key is left out: nobody knows whether the rows of then had it. Then `isWhole` is false.
     */
    async at({ metadataKey, snapshot }: TableRecord, time: Date): Promise<ContentThen | undefined> {
      if (metadataKey === undefined) return undefined
      const metadata = await load(metadataKey)
      const location = metadataAt(metadata, locationOf(metadataKey), time.getTime())
      const then = location === undefined ? metadata : await load(keyOf(location))
      const id =
        location === undefined
          ? snapshotAt(metadata, time.getTime())?.['snapshot-id']
          : then['current-snapshot-id']
      const found = metadata.snapshots.find(candidate => candidate['snapshot-id'] === id)
      // A table that has not had a row yet has no snapshot.
      if (!found && (location === undefined || id !== undefined)) return undefined

      const isWhole = location !== undefined
      const schema = isWhole
        ? currentSchema(then)
        : schemaById(metadata, found?.['schema-id'] ?? metadata['current-schema-id'])
      const fields = tableFields(schema.fields, snapshot)
      const names = new Set(fields.map(({ name }) => name))
      const key = isWhole ? (keyIn(then) ?? snapshot.primaryKey) : []
      const primaryKey = key.every(name => names.has(name)) ? key : []
      const files = found ? await filesOf(metadata, found['snapshot-id']) : []
      return { snapshot: withFiles({ ...snapshot, fields, primaryKey }, files), isWhole }
    },
  }
}

export type TableContents = ReturnType<typeof createTableContents>

/** Property of a table's metadata that holds its primary key, so that the key of an earlier time is known too. */
const PRIMARY_KEY_PROPERTY = 'millrace.primary-key'

const columns = z.array(z.string())

/** The property as it must be, or none when it is so already. */
const keyProperty = (
  { primaryKey }: Pick<Snapshot, 'primaryKey'>,
  metadata: TableMetadata | undefined,
): Record<string, string> => {
  const value = JSON.stringify(primaryKey)
  return metadata?.properties[PRIMARY_KEY_PROPERTY] === value ? {} : { [PRIMARY_KEY_PROPERTY]: value }
}

/** The primary key that the metadata holds. `undefined`: it holds none, not even an empty one. */
const keyIn = ({ properties }: TableMetadata): string[] | undefined => {
  const value = properties[PRIMARY_KEY_PROPERTY]
  return value === undefined ? undefined : columns.parse(JSON.parse(value))
}
