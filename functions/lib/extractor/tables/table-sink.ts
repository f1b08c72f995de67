import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { csvLine } from '../values/php/php-values.ts'
import { AutomaticTables, type AutomaticTablesState } from './automatic-tables.ts'
import { LegacyTables, type LegacyTablesState } from './legacy-tables.ts'
import { type MappedTable, MappedTables, type MappedTablesState } from './mapped-tables.ts'
import type {
  AddOptions,
  TableSink,
  TableSinkCheckpoint,
  TableSinkOptions,
  WrittenTable,
} from './sink-types.ts'
import { type Output, removeTables, tableFile, writeManifest } from './table-file.ts'
import { keyLists } from './table-loads.ts'

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
      return { version: 1, rows, automatic: automatic.checkpoint(), mapped: mapped.checkpoint() }
    },
    structure() {
      return { struct: automatic.stored(), structVersion: isLegacy ? 2 : 3 }
    },
    async finish(outDir: string): Promise<WrittenTable[]> {
      mkdirSync(outDir, { recursive: true })
      const output = { folder: outDir, bucket: options.bucket, files: new Map<string, string>() }
      const written = await writeMapped(mapped.finish(), await automatic.finish(output), output)
      const tables = written.filter(({ columns }) => compat || columns.length > 0)
      for (const { file } of written.filter(table => !tables.includes(table))) await rm(file)
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

/**
 * Writes mapped tables after the automatic ones in `written`. Rows of one table name come together, those of mappings
 * first, as in Generic Extractor.
 * @throws UserError `extractor.tables.differentColumns` when two of one name have other columns
 */
const writeMapped = async (
  mapped: readonly MappedTable[],
  automatic: readonly WrittenTable[],
  output: Output,
): Promise<WrittenTable[]> => {
  const written = new Map<string, WrittenTable>()
  const isTaken = new Map(automatic.map(table => [table.name, table]))
  try {
    for (const table of mapped) {
      const known = written.get(table.name)
      if (known !== undefined) await appendTo(known, table)
      else written.set(table.name, await writeNew(table, isTaken.get(table.name), output))
    }
  } catch (error) {
    await removeTables([...written.values(), ...automatic])
    throw error
  }
  return [...written.values(), ...automatic.filter(table => !written.has(table.name))]
}

const writeNew = async (
  table: MappedTable,
  automatic: WrittenTable | undefined,
  output: Output,
): Promise<WrittenTable> => {
  const { name, columns, primaryKey, type, rows, kinds } = table
  const file = tableFile(output, name)
  const temporary = `${file}.part`
  const types = [type, ...(automatic?.types ?? [])]
  const result = { name, file, columns, primaryKey, types, rows, kinds }
  if (automatic?.kinds) kinds?.add(automatic.kinds)
  const out = await open(temporary, 'w')
  try {
    const header = csvLine(columns)
    await out.write(header)
    if (table.file !== undefined) await copyInto(out, table.file, 0)
    if (automatic !== undefined) {
      checkColumns(name, columns, automatic.columns)
      await copyInto(out, automatic.file, Buffer.byteLength(header))
      result.rows += automatic.rows
    }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await out.close()
  }
  await rename(temporary, file)
  return result
}

const appendTo = async (
  known: WrittenTable,
  { columns, file, type, rows, kinds }: MappedTable,
): Promise<void> => {
  checkColumns(known.name, known.columns, columns)
  known.types.push(type)
  if (kinds) known.kinds?.add(kinds)
  if (file === undefined) return
  const out = await open(known.file, 'a')
  try {
    await copyInto(out, file, 0)
  } finally {
    await out.close()
  }
  known.rows += rows
}

const checkColumns = (name: string, columns: readonly string[], others: readonly string[]): void => {
  if (columns.length === others.length && columns.every((column, i) => column === others[i])) return
  throw new UserError(
    'extractor.tables.differentColumns',
    `Multiple results for '${name}' table have different columns!`,
    { params: { table: name, differentColumns: columns.filter(column => !others.includes(column)) } },
  )
}

const copyInto = async (out: FileHandle, file: string, start: number): Promise<void> => {
  for await (const chunk of createReadStream(file, { start, highWaterMark: 1 << 20 })) await out.write(chunk)
}
