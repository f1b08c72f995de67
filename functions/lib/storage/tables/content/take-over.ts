import type { MetadataFile } from '#lib/iceberg/glue/glue-catalog.ts'
import type { LiveFile } from '#lib/iceberg/read/live-files.ts'
import type { TableFile } from '#lib/table-engine/files/snapshot.ts'
import type { SharedDeletes } from '#lib/table-engine/join-deletes.ts'
import { fieldsById, hasOwnDeletes, tableFileOf } from './file-entries.ts'
import type { TableObjects } from './table-objects.ts'

/** Where a file's deletes are shared with others, `join` gives them a file of their own. */
export const takeOver = async (
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
