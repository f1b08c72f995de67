import { mkdirSync, rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { AutomaticTables, type AutomaticTablesState } from './automatic-tables.ts'
import type { ReadBytes } from './bytes/byte-page.ts'
import { LegacyTables, type LegacyTablesState } from './legacy-tables.ts'
import { MappedTables, type MappedTablesState } from './mapped-tables.ts'
import type { ColumnType, TypedPaths } from './records/column-types.ts'
import { keyLists } from './records/key-lists.ts'
import type {
  AddOptions,
  BytesRead,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
import { removeTables, writeManifest } from './table-file.ts'
import { writeMapped } from './write-mapped.ts'

interface Checkpoint extends TableSinkCheckpoint {
  rows: number
  automatic: unknown
  mapped: MappedTablesState
}

/** Tables of one output bucket, from pages of JSON items. See `TableSink`. */
export const createTableSink = (options: TableSinkOptions): TableSink => {
  // Only `checkpoint` below makes these.
  const state = options.checkpoint as Checkpoint | undefined
  const compat = options.compat ?? false
  mkdirSync(options.folder, { recursive: true })
  const { folder, structure, warn = () => {} } = options
  const isLegacy = options.parser === 'legacy'
  if (isLegacy && options.typeConflicts === 'keep') throw notInOldTables()
  // Made by the same kind of tables: the parser does not change within a run.
  const automatic = isLegacy
    ? new LegacyTables({
        folder,
        compat,
        structure,
        warn,
        state: state?.automatic as LegacyTablesState | undefined,
      })
    : new AutomaticTables({
        folder,
        compat,
        keepsConflicts: options.typeConflicts === 'keep',
        structure,
        dataTypes: options.dataTypes ?? [],
        warn,
        state: state?.automatic as AutomaticTablesState | undefined,
      })
  const mapped = new MappedTables(options.folder, options.mappings, compat, state?.mapped)
  let rows = state?.rows ?? 0

  const withListKeys = (
    type: string,
    items: readonly Json[],
    { source, parent }: AddOptions,
  ): [readonly Json[], AddOptions] => {
    const key = options.keyOfLists?.(type)
    if (key === undefined) return [items, { parent, source }]
    return [keyLists(items, key, parent), { parent }]
  }

  return {
    get rows() {
      return rows
    },
    add(type: string, items: readonly Json[], addOptions: AddOptions = {}) {
      refuseTooDeep(type, () => {
        if (mapped.has(type)) mapped.add(type, items, addOptions.parent ?? {})
        else automatic.add(type, ...withListKeys(type, items, addOptions))
      })
      rows += items.length
    },
    readBytes(type: string, page: ReadBytes) {
      return mapped.has(type) || automatic instanceof LegacyTables || options.keyOfLists?.(type) !== undefined
        ? undefined
        : automatic.readBytes(type, page)
    },
    take(type: string, read: BytesRead, addOptions: AddOptions) {
      refuseTooDeep(type, () => {
        if (automatic instanceof AutomaticTables) automatic.take(type, read, addOptions)
      })
      rows += read.page.count
    },
    checkpoint(): Checkpoint {
      return { version: 1, rows, automatic: automatic.checkpoint(), mapped: mapped.checkpoint() }
    },
    structure() {
      return { struct: automatic.stored(), structVersion: isLegacy ? 2 : 3 }
    },
    async finish(outDir: string): Promise<WrittenTable[]> {
      mkdirSync(outDir, { recursive: true })
      const output = { folder: outDir, bucket: options.bucket, files: new Map<string, string>() }
      const written = await writeMapped(mapped.finish(), await automatic.finish(output), output)
      const columnOf = (table: string, type: string, path: string): string | undefined =>
        mapped.has(type) ? mapped.columnOf(table, type, path) : automatic.columnOf(table, type, path)
      const tables = withColumnTypes(written, options.typedPaths, columnOf)
      const { loadOf = ({ primaryKey }) => ({ incremental: false, primaryKey }) } = options
      try {
        for (const table of tables) {
          const load = loadOf(table)
          await writeManifest(output, table, load)
          if (load.incremental) table.isIncremental = true
        }
      } catch (error) {
        await removeTables(tables)
        throw error
      }
      rmSync(options.folder, { recursive: true, force: true })
      return tables
    },
  }
}

const notInOldTables = (): UserError =>
  new UserError(
    'extractor.config.invalid',
    '"typeConflicts": "keep" needs the present form of tables: compatLevel 2 or 3, and no state of an older parser.',
  )

const refuseTooDeep = (type: string, add: () => void): void => {
  try {
    add()
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(type, error) : error
  }
}

/** The stack overflows some thousand levels down; Generic Extractor gives up at 512. */
const tooDeep = (type: string, cause: RangeError): UserError => {
  return new UserError(
    'extractor.tables.tooDeep',
    `Data of '${type}' are nested too deeply to become tables.`,
    { cause },
  )
}

/** The column of a table that has what is at a path of the rows of a data type; `undefined` when none has. */
type ColumnOf = (table: string, type: string, path: string) => string | undefined

/** Says which columns have a type. One that gets rows of several data types has it only where all of them agree. */
const withColumnTypes = (
  tables: readonly WrittenTable[],
  typedPaths: ReadonlyMap<string, TypedPaths> = new Map(),
  columnOf: ColumnOf,
): WrittenTable[] =>
  tables.map(table => {
    const types = [...new Set(table.types)]
    const [first = [], ...others] = types.map(type =>
      [...(typedPaths.get(type) ?? [])].flatMap(([path, columnType]): [string, ColumnType][] => {
        const column = columnOf(table.insteadOf ?? table.name, type, path)
        return column === undefined || !table.columns.includes(column) ? [] : [[column, columnType]]
      }),
    )
    const agreed = first.filter(([column, one]) =>
      others.every(other => other.some(([name, type]) => name === column && isSame(type, one))),
    )
    return agreed.length === 0 ? table : { ...table, columnTypes: Object.fromEntries(agreed) }
  })

const isSame = (a: ColumnType, b: ColumnType): boolean => a.basetype === b.basetype && a.length === b.length
