import { adoptCommit } from '#lib/iceberg/commit/adopt-commit.ts'
import { locationsOf, withoutOldSnapshots } from '#lib/iceberg/commit/expire-snapshots.ts'
import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import { metadataFile, type NewTable } from '#lib/iceberg/commit/plan-commit.ts'
import type { TableChange } from '#lib/iceberg/commit/table-change.ts'
import type { MetadataFile } from '#lib/iceberg/glue/glue-catalog.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import { type LiveFile, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import type { TableFile } from '#lib/table-engine/files/snapshot.ts'
import type { SharedDeletes } from '#lib/table-engine/join-deletes.ts'
import type { TableRecord } from '../table-record.ts'
import { type ContentThen, contentAt } from './content-then.ts'
import {
  addedEntries,
  fieldsById,
  filesChange,
  hasOwnDeletes,
  icebergFields,
  livePaths,
  tableFileOf,
  tablePaths,
} from './file-entries.ts'
import { createMetadataStore, type MetadataStore, type TableContentsOptions } from './metadata-store.ts'
import { keyProperty } from './primary-key-property.ts'
import type { TableObjects } from './table-objects.ts'

/**
 * What tables consist of, as Iceberg metadata in the bucket of tables. A head names a metadata file by its key. Nothing
 * here is ever overwritten.
 */
export const createTableContents = (options: TableContentsOptions) => {
  const metadata = createMetadataStore(options)
  const { objects, load, commit, filesOf, expireAt } = metadata
  const { keyOf, locationOf } = objects

  return {
    objects,

    takeOver: takeOver.bind(undefined, objects),

    adopt: adoptQuery.bind(undefined, metadata),

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

    save: (table: TableRecord): Promise<string> => saveTable(metadata, table),

    /**
     * Lets old snapshots go; with `all`, every one but the current. Resolves to the key of the new metadata file, or `undefined`
     * when there are none.
     */
    async expire(metadataKey: string, now: Date, all = false): Promise<string | undefined> {
      const table = await load(metadataKey)
      const timeMs = now.getTime()
      const expire = all ? { beforeMs: Number.POSITIVE_INFINITY } : expireAt(timeMs)
      if (withoutOldSnapshots(table, expire).expired.length === 0) return undefined
      const base = { metadata: table, location: locationOf(metadataKey) }
      return commit({ base, change: {}, commitId: all ? 'forget' : 'expire', timeMs, expire })
    },

    /** The keys of all objects that a metadata file names: of each snapshot that it has, and earlier metadata files. */
    async *namedKeys(metadataKey: string): AsyncGenerator<string> {
      yield metadataKey
      const table = await load(metadataKey)
      for (const { 'metadata-file': location } of table['metadata-log']) yield keyOf(location)
      for (const { 'statistics-path': location } of table.statistics ?? []) yield keyOf(location)
      for (const location of await locationsOf(objects.read, table.snapshots)) yield keyOf(location)
    },

    /** See {@link contentAt}. */
    at: (table: TableRecord, time: Date): Promise<ContentThen | undefined> =>
      contentAt(metadata, table, time),
  }
}

export type TableContents = ReturnType<typeof createTableContents>

/**
 * Writes what the table's snapshot changes against the metadata that its head names, as one commit; a table without
 * metadata gets its first. Resolves to the key of the metadata file, the same when nothing has changed.
 */
const saveTable = async ({ objects, load, commit }: MetadataStore, table: TableRecord): Promise<string> => {
  const { read, locationOf } = objects
  const { metadataKey, snapshot, revision, lastLoad, lastJob } = table
  const metadata = metadataKey === undefined ? undefined : await load(metadataKey)
  const before = metadata ? await readLiveFiles(read, metadata) : []
  const { joinedFrom } = snapshot
  const loaded = { fields: snapshot.fields, files: joinedFrom ?? snapshot.files }
  const files = filesChange(livePaths(before), loaded, objects)
  const fields = icebergFields(snapshot.fields)
  const hasSameFields = metadata && JSON.stringify(currentSchema(metadata).fields) === JSON.stringify(fields)
  const properties = keyProperty(snapshot, metadata)
  const hasSameProperties = Object.keys(properties).length === 0
  const hasSameFiles = files.added.length + files.removedData.size + files.removedDeletes.size === 0
  if (metadataKey !== undefined && hasSameFields && hasSameProperties && hasSameFiles) return metadataKey
  return commit({
    base:
      metadata && metadataKey ? { metadata, location: locationOf(metadataKey) } : newTable(objects, table),
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
 * What a query has committed on top of `baseKey`, as the next content of the head that names `headKey`. Resolves to the key of its
 * metadata file.
 */
const adoptQuery = async (
  { objects: { keyOf, locationOf, write }, load }: MetadataStore,
  { metadata, location }: MetadataFile,
  { baseKey, headKey }: { baseKey: string; headKey: string | undefined },
): Promise<string> => {
  if (headKey === undefined || headKey === baseKey) return keyOf(location)
  const head = { metadata: await load(headKey), location: locationOf(headKey) }
  const file = metadataFile(adoptCommit(metadata, head), location)
  await write([file])
  return keyOf(file.location)
}

const newTable = ({ locationOf }: TableObjects, { internalId }: TableRecord): NewTable => {
  const location = locationOf(`tables/${internalId}`)
  return { uuid: digestUuid(location), location }
}

/** Where a file's deletes are shared with others, `join` gives them a file of their own. */
const takeOver = async (
  objects: TableObjects,
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
            key: objects.keyOf(file.path),
            deletes: positionDeletes.map(({ path, bytes }) => ({ key: objects.keyOf(path), bytes })),
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
