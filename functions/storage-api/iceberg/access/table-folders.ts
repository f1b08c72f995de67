import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { readLiveEntries } from '#lib/iceberg/read/read-manifests.ts'

/** Where the objects of a table lie, as prefixes of keys that end with a slash. */
export interface TableFolders {
  own: string
  /** Folders of other tables' jobs, in which files lie that the table shares: it is a copy, or was restored. */
  shared: string[]
}

/**
 * The folders of a table. Only folders of single jobs are shared: what another job wrote into that other table is none
 * of this table's.
 *
 * A table gets files of others when it is made, and never again. So what its oldest snapshot does not name, none does, and
 * two snapshots are enough to know the folders of all.
 */
export const foldersOf = async (
  metadata: TableMetadata,
  { read, keyOf }: { read: ObjectReader; keyOf: (location: string) => string },
): Promise<TableFolders> => {
  const own = `${keyOf(metadata.location)}/`
  const { snapshots } = metadata
  const ends = new Set([...snapshots.slice(0, 1), ...snapshots.slice(-1)])
  const entries = await Promise.all([...ends].map(snapshot => readLiveEntries(read, snapshot)))
  const keys = entries.flat().map(({ file }) => keyOf(file.path))
  const shared = keys.filter(key => !key.startsWith(own)).map(key => key.slice(0, key.lastIndexOf('/') + 1))
  return { own, shared: [...new Set(shared)].toSorted() }
}
