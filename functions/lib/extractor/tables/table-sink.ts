import { mkdirSync, rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { Config } from '../config/config-schema.ts'
import { dataTypeOf, everyJob } from '../config/job-schema.ts'
import { type ExtractorConfig, iterationsByBucket } from '../config/parse-config.ts'
import { AutomaticTables, type AutomaticTablesState } from './automatic-tables.ts'
import { LegacyTables, type LegacyTablesState } from './legacy-tables.ts'
import { MappedTables, type MappedTablesState } from './mapped-tables.ts'
import { checkLoads, createTableLoads, keyLists } from './table-loads.ts'
import type { PageSource } from './table-spool.ts'
import { type Output, removeTables, type WrittenTable, writeTables } from './write-tables.ts'

/** How rows become tables, and where they wait. One sink serves one output bucket. */
export interface TableSinkOptions extends Partial<Pick<Output, 'bucket' | 'loadOf' | 'warn'>> {
  /** Folder for spooled rows, made when missing. A resumed sink needs the same folder contents (or a copy of them). */
  folder: string
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

/** JSON; holds no rows. */
export interface TableSinkCheckpoint {
  /** What was said: each sentence once, in however many legs. */
  said: string[]
  rows: number
  automatic: unknown
  mapped: MappedTablesState
}

export type TableSink = ReturnType<typeof createTableSink>

/** Tables of one output bucket, from pages of JSON items. */
export const createTableSink = (options: TableSinkOptions) => {
  const { folder, structure, bucket, checkpoint: state, compat = false } = options
  mkdirSync(folder, { recursive: true })
  const said = new Set(state?.said)
  const warn = (message: string): void => {
    if (!said.has(message)) options.warn?.(message)
    said.add(message)
  }
  const isLegacy = options.parser === 'legacy'
  const isTyped = options.types === 'detect' && !compat && !isLegacy
  const given = { folder, compat, isTyped, structure, dataTypes: options.dataTypes ?? [], warn }
  // Made by the same kind of tables: the parser does not change within a run.
  const automatic = isLegacy
    ? new LegacyTables(given, state?.automatic as LegacyTablesState | undefined)
    : new AutomaticTables(given, state?.automatic as AutomaticTablesState | undefined)
  const mapped = new MappedTables(given, options.mappings, state?.mapped)
  let rows = state?.rows ?? 0

  return {
    /** Rows of each top-level data type added so far; for progress lines. */
    get rows() {
      return rows
    },
    /**
     * Converts one page of items. Synchronous; rows go to disk in large writes.
     * @throws UserError `extractor.tables.incompatibleTypes` and others when values do not fit the columns known so far
     */
    add(type: string, items: readonly Json[], { parent = {}, source }: AddOptions = {}): void {
      const key = options.keyOfLists?.(type)
      refuseTooDeep(type, () => {
        if (mapped.has(type)) mapped.add(type, items, parent)
        else if (key === undefined) automatic.add(type, items, parent, source)
        else automatic.add(type, keyLists(items, key, parent), parent)
      })
      rows += items.length
    },
    /** Flushes everything to `folder`. The sink stays usable. */
    checkpoint: (): TableSinkCheckpoint => ({
      said: [...said],
      rows,
      automatic: automatic.checkpoint(),
      mapped: mapped.checkpoint(),
    }),
    /** `json_parser.struct` for the output state: what was learnt so far (structure version 3; legacy parser 2). */
    structure: () => ({ struct: automatic.stored(), structVersion: isLegacy ? 2 : 3 }),
    /** Writes `<outDir>/<bucket>.<table>` and `.manifest` files and removes the spool. The sink cannot be used after. */
    async finish(outDir: string): Promise<WrittenTable[]> {
      mkdirSync(outDir, { recursive: true })
      const { loadOf = ({ primaryKey }) => ({ incremental: false, primaryKey }) } = options
      const finished = [...mapped.finish(), ...(await automatic.finish())]
      const tables = await writeTables(
        finished.filter(({ columns }) => compat || columns.length > 0),
        { folder: outDir, bucket, loadOf, warn },
      )
      rmSync(folder, { recursive: true, force: true })
      return tables
    },
  }
}

/** The stack overflows some thousand levels down; Generic Extractor gives up at 512. */
const refuseTooDeep = (type: string, add: () => void): void => {
  try {
    add()
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new UserError(
      'extractor.tables.tooDeep',
      `Data of '${type}' are nested too deeply to become tables.`,
      { cause },
    )
  }
}

interface SinksOptions {
  parsed: ExtractorConfig
  spoolDir: string
  /** What the last run learnt. */
  state: { structure: unknown; structVersion: number | undefined }
  /** Structure and files of tables, by position of the bucket. */
  saved: Readonly<Record<string, TableSinkCheckpoint>>
  warn: (message: string) => void
}

/**
 * The table sinks of a run: one per output bucket, shared by the iterations that write to it
 * (docs/reference/extractor.md#iterations).
 */
export const createTableSinks = ({ parsed, spoolDir, state, saved, warn }: SinksOptions) => {
  checkLoads(parsed)
  const buckets = [...iterationsByBucket(parsed)]
  const sinks = new Map<number, TableSink>()
  const warnings: string[] = []

  const make = (position: number): TableSink => {
    const [bucket, mine] = buckets[position] ?? [undefined, []]
    const [first] = mine
    const loads = createTableLoads(parsed, bucket, mine)
    const types = parsed.compat ? undefined : mine.at(-1)?.types
    // A later bucket starts from what the earlier ones learnt, as its state does
    const learnt = [...sinks.values()].at(-1)?.structure()
    const isLegacy = Number(first?.compatLevel) === 1 || state.structVersion === 2
    return createTableSink({
      folder: pathInside(spoolDir, String(position)),
      bucket,
      // The first iteration's mappings stay
      dataTypes: mine.flatMap(({ jobs }) => [...everyJob(jobs)]).map(dataTypeOf),
      mappings: first?.mappings,
      types,
      loadOf: table =>
        loads.of(table, message => {
          warnings.push(message)
          warn(message)
        }),
      keyOfLists: loads.keyOfLists,
      compat: parsed.compat,
      parser: isLegacy ? 'legacy' : 'current',
      structure: learnt?.struct ?? state.structure,
      checkpoint: saved[String(position)],
      warn,
    })
  }

  const at = (position: number): TableSink => {
    const found = sinks.get(position) ?? make(position)
    sinks.set(position, found)
    return found
  }

  for (const position of Object.keys(saved)) at(Number(position))
  return {
    of: (config: Config): TableSink => at(buckets.findIndex(([, mine]) => mine.includes(config))),
    get rows(): number {
      return [...sinks.values()].reduce((sum, sink) => sum + sink.rows, 0)
    },
    checkpoint: (): Record<string, TableSinkCheckpoint> =>
      Object.fromEntries([...sinks].map(([position, sink]) => [String(position), sink.checkpoint()])),
    /** What was learnt, for the state; `undefined` when no iteration ran. */
    structure: () => [...sinks.values()].at(-1)?.structure(),
    finish: async (outDir: string) => {
      const tables: WrittenTable[] = []
      try {
        for (const sink of sinks.values()) tables.push(...(await sink.finish(outDir)))
      } catch (error) {
        await removeTables(tables)
        throw error
      }
      return { tables, warnings }
    },
  }
}
