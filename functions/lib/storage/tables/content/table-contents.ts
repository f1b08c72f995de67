import { randomUUID } from 'node:crypto'
import { locationsOf, withoutOldSnapshots } from '#lib/iceberg/commit/expire-snapshots.ts'
import { digestUuid } from '#lib/iceberg/commit/object-name.ts'
import type { NewTable } from '#lib/iceberg/commit/plan-commit.ts'
import type { TableChange } from '#lib/iceberg/commit/table-change.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import type { TableFile } from '#lib/table-engine/files/snapshot.ts'
import type { TableRecord } from '../table-record.ts'
import { type ContentThen, contentAt } from './content-then.ts'
import { filesChange, icebergFields, livePaths, tablePaths } from './file-entries.ts'
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

    /** The keys of all objects that its current snapshot consists of, and its own. */
    async *currentKeys(metadataKey: string): AsyncGenerator<string> {
      yield metadataKey
      const { snapshots, 'current-snapshot-id': current } = await load(metadataKey)
      const own = snapshots.filter(snapshot => snapshot['snapshot-id'] === current)
      for (const location of await locationsOf(objects.read, own)) yield keyOf(location)
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
  const { metadataKey, snapshot } = table
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
    // Two runs of one job may have made different ones.
    commitId: randomUUID(),
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

const newTable = ({ locationOf }: TableObjects, { internalId }: TableRecord): NewTable => {
  const location = locationOf(`tables/${internalId}`)
  return { uuid: digestUuid(location), location }
}
