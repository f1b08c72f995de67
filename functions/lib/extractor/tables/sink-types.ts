import type { Json } from '../../json/json-value.ts'
import type { ColumnKinds } from './column-kinds.ts'
import type { PageSource } from './item-log.ts'

/** How rows become tables, and where they wait. One sink serves one output bucket. */
export interface TableSinkOptions {
  /** Folder for spooled rows, made when missing. A resumed sink needs the same folder contents (or a copy of them). */
  folder: string
  /** Output bucket without `in.c-`: file `<bucket>.<table>`, destination `in.c-<bucket>.<table>`. Absent: `<table>`, no destination. */
  bucket?: string | undefined
  /** How each finished table is loaded, for its manifest. Default: with the key of its mapping; the rows replace those of the table. */
  loadOf?: ((table: WrittenTable) => TableLoad) | undefined
  /** Primary key of a data type whose nested lists need a key too (`keyLists`). Default: none does. */
  keyOfLists?: ((type: string) => readonly string[] | undefined) | undefined
  /** Of all jobs that write to the bucket. */
  dataTypes?: readonly string[] | undefined
  /** `config.mappings`, as read from the configuration: data type to mapping. Checked here, by path. */
  mappings?: unknown
  /** Cells as in Generic Extractor (14 significant digits). Default false: numbers keep the text that the API sent. */
  compat?: boolean | undefined
  /** `detect`: columns have the types of JSON; without `compat` and the old parser. Default `text`. */
  types?: 'text' | 'detect' | undefined
  /** `legacy` is the old parser (compat level 1, or a state with structure version 2). Default `current`. */
  parser?: 'current' | 'legacy' | undefined
  /** `json_parser.struct` of the input state: columns known from earlier runs stay in the header. */
  structure?: unknown
  /** What an earlier process's `checkpoint()` gave. */
  checkpoint?: TableSinkCheckpoint | undefined
  /** Called for things the author of the configuration should know, such as a list inside a list. */
  warn?: ((message: string) => void) | undefined
}

/** One page of items, all of one data type. */
export interface AddOptions {
  /** Columns added to each row: `parent_<path>` of child jobs and user data, in this order. */
  parent?: Readonly<Record<string, Json>> | undefined
  /**
   * The exact bytes of the response that the items came from, and the keys that lead to them in it. Saves the sink from
   * writing the items as JSON again for the rare rebuild. Leave out when items were changed (filters) or are not a list.
   */
  source?: PageSource | undefined
}

/** JSON; holds no rows. Spooled rows are in `folder`, flushed, when `checkpoint()` returns. */
export interface TableSinkCheckpoint {
  version: 1
  [key: string]: unknown
}

export interface WrittenTable {
  /** Table name, such as `users_tags`. */
  name: string
  /** The name that it would have, had another table of other columns not taken it. */
  insteadOf?: string
  /** Path of the CSV file; the manifest is `<file>.manifest`. */
  file: string
  columns: string[]
  primaryKey: string[]
  /** Data types that its rows come from. */
  types: string[]
  rows: number
  /** Where columns have types. */
  kinds?: ColumnKinds | undefined
}

/** How the storage service is to take a table. */
export interface TableLoad {
  incremental: boolean
  primaryKey: string[]
}

export interface TableSink {
  /**
   * Converts one page of items. Synchronous; rows go to disk in large writes.
   * @throws UserError `extractor.tables.incompatibleTypes` and others when values do not fit the columns known so far
   */
  add(type: string, items: readonly Json[], options?: AddOptions): void
  /** Flushes everything to `folder`. The sink stays usable. */
  checkpoint(): TableSinkCheckpoint
  /** `json_parser.struct` for the output state: what was learnt so far (structure version 3; legacy parser 2). */
  structure(): { struct: unknown; structVersion: number }
  /** Rows of each top-level data type added so far; for progress lines. */
  readonly rows: number
  /** Writes `<outDir>/<bucket>.<table>` and `.manifest` files and removes the spool. The sink cannot be used after. */
  finish(outDir: string): Promise<WrittenTable[]>
}
