import { mkdirSync, rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { AutomaticTables, type AutomaticTablesState } from './automatic-tables.ts'
import { LegacyTables, type LegacyTablesState } from './legacy-tables.ts'
import { MappedTables, type MappedTablesState } from './mapped-tables.ts'
import type {
  AddOptions,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
import { removeTables, writeManifest } from './table-file.ts'
import { keyLists } from './table-loads.ts'
import { writeTables } from './write-tables.ts'

interface Checkpoint extends TableSinkCheckpoint {
  /** What was said: each sentence once, in however many legs. */
  said: string[]
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
  const { folder, structure } = options
  const said = new Set(state?.said)
  const warn = (message: string): void => {
    if (!said.has(message)) options.warn?.(message)
    said.add(message)
  }
  const isLegacy = options.parser === 'legacy'
  const isTyped = options.types === 'detect' && !compat && !isLegacy
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
        isTyped,
        structure,
        dataTypes: options.dataTypes ?? [],
        warn,
        state: state?.automatic as AutomaticTablesState | undefined,
      })
  const mapped = new MappedTables(folder, options.mappings, { compat, isTyped }, state?.mapped)
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
    checkpoint(): Checkpoint {
      return {
        version: 1,
        said: [...said],
        rows,
        automatic: automatic.checkpoint(),
        mapped: mapped.checkpoint(),
      }
    },
    structure() {
      return { struct: automatic.stored(), structVersion: isLegacy ? 2 : 3 }
    },
    async finish(outDir: string): Promise<WrittenTable[]> {
      mkdirSync(outDir, { recursive: true })
      const output = { folder: outDir, bucket: options.bucket, files: new Map<string, string>() }
      const finished = [...mapped.finish(), ...(await automatic.finish())]
      const tables = await writeTables(
        finished.filter(({ columns }) => compat || columns.length > 0),
        output,
      )
      const { loadOf = ({ primaryKey }) => ({ incremental: false, primaryKey }) } = options
      try {
        for (const table of tables) {
          await writeManifest(output, table, loadOf(table))
          const mixed = table.columns.filter(column => table.kinds?.isMixed(column))
          if (mixed.length > 0)
            warn(
              `Columns of '${table.name}' have values of different types and are text: ${mixed.join(', ')}.`,
            )
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
