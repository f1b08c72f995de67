import type { DataFile } from '../manifests/data-file.ts'
import type { NestedField } from '../metadata/types.ts'

/** What one commit changes. What is left out stays as it is. */
export interface TableChange {
  /** How the snapshot is marked: `replace` means the same rows in other files. Default `overwrite`. */
  operation?: 'append' | 'replace' | 'overwrite' | 'delete'
  /** New files of rows and of deletes. */
  added?: readonly DataFile[]
  /** Paths of files of rows that the table no longer has. */
  removedData?: ReadonlySet<string>
  /** Paths of delete files that the table no longer has. */
  removedDeletes?: ReadonlySet<string>
  /** All columns of the table from now on, in order. */
  fields?: readonly NestedField[]
  /** The highest column id ever given. Default: the highest that the table knows. */
  lastColumnId?: number
  /** Properties to set. */
  properties?: Readonly<Record<string, string>>
}

/** An object to write. Its name holds a digest of its content, so two writers of one name write the same. */
export interface NewObject {
  location: string
  content: Uint8Array
}
