import { hash } from 'node:crypto'
import { md5Digest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { cellText, csvLine, isScalar } from '../values/php/cell.ts'
import { phpJsonEncode } from '../values/php/php-json-encode.ts'
import { type ExtraColumns, phpSerializeRow } from '../values/php/php-serialize.ts'
import { shortName } from '../values/php/safe-name.ts'
import { ItemLog, pageOfItems } from './item-log.ts'
import { isListType, LegacyStructure } from './legacy-structure.ts'
import type { AddOptions, WrittenTable } from './sink-types.ts'
import { LineFile, type Output, tableFile } from './table-file.ts'

interface LegacyTablesOptions {
  folder: string
  compat: boolean
  structure: unknown
  warn(message: string): void
  state: LegacyTablesState | undefined
}

export interface LegacyTablesState {
  structure: unknown
  logBytes: number
}

interface OpenTable {
  out: LineFile
  columns: string[]
  types: Set<string>
}

/**
 * Generic Extractor's old parser (compat level 1, or a state that holds its structure): columns of one clean name
 * share the first one's cells, and the second column has a hash for a name and stays empty.
 *
 * Rows are written in the end from the log of the pages: few configurations still need this.
 */
export class LegacyTables {
  readonly #structure: LegacyStructure
  readonly #log: ItemLog
  readonly #compat: boolean
  readonly #warned = new Set<string>()
  readonly #headers = new Map<string, string[]>()

  constructor(options: LegacyTablesOptions) {
    const nestedList = (path: string): void => {
      if (this.#warned.has(path)) return
      this.#warned.add(path)
      options.warn(`Unsupported array nesting in '${path}'! Converting to JSON string.`)
    }
    this.#compat = options.compat
    this.#structure = new LegacyStructure(options.state?.structure ?? options.structure, nestedList)
    this.#log = new ItemLog(pathInside(options.folder, 'items.log'), options.state?.logBytes)
  }

  add(type: string, items: readonly Json[], options: AddOptions): void {
    const isNothing = items.length === 0 || (items.length === 1 && items[0] === null)
    if (isNothing && !this.#structure.knows(type)) return
    this.#structure.learn(type, items)
    this.#log.append(type, { ...options.parent } as JsonObject, options.source ?? pageOfItems(items)) // values are JSON
  }

  checkpoint(): LegacyTablesState {
    this.#log.flush()
    return { structure: this.#structure.store(), logBytes: this.#log.bytes }
  }

  stored(): unknown {
    return this.#structure.store()
  }

  async finish(output: Output): Promise<WrittenTable[]> {
    const tables = new Map<string, OpenTable>()
    for await (const { type, items, parent } of this.#log.pages())
      this.#write({ tables, output, type }, type, items, parent)
    for (const { out } of tables.values()) out.finish()
    return [...tables].map(([name, { out, columns, types }]) => ({
      name,
      file: out.path,
      columns,
      primaryKey: [],
      types: [...types],
      rows: out.lines - 1,
    }))
  }

  #write(
    page: { tables: Map<string, OpenTable>; output: Output; type: string },
    path: string,
    items: readonly Json[],
    parents: ExtraColumns,
  ): void {
    const { tables, output, type } = page
    const name = legacyName(path)
    let table = tables.get(name)
    if (table === undefined) {
      const columns = this.#header(path, Object.keys(parents))
      table = { out: new LineFile(tableFile(output, name)), columns, types: new Set() }
      table.out.write(csvLine(columns))
      tables.set(name, table)
    }
    table.types.add(type)
    const writeList = (listPath: string, list: readonly Json[], link: string): void =>
      this.#write(page, listPath, list, { JSON_parentId: link })
    for (const item of items) {
      const isRow = item !== null && !isScalar(item) && !Array.isArray(item)
      const row: JsonObject = isRow
        ? item
        : { data: Array.isArray(item) ? phpJsonEncode(item, !this.#compat) : item }
      table.out.write(csvLine([...this.#cells(path, row, parents, '', writeList).values()]))
    }
  }

  /** Cells by column; `parents` are laid over the row, as in its hash. */
  #cells(
    path: string,
    row: JsonObject,
    parents: ExtraColumns,
    outerLink: string,
    writeList: (path: string, list: readonly Json[], link: string) => void,
  ): Map<string, string> {
    const parentNames = Object.keys(parents)
    const cells = new Map(this.#header(path, parentNames).map(column => [column, '']))
    const link = `${path}_${hash('md5', phpSerializeRow(row, parentNames.length === 0 ? undefined : parents) + outerLink, 'hex')}`
    const set = (column: string, text: string): void => {
      if (cells.has(column)) cells.set(column, text)
      else
        throw new UserError(
          'extractor.tables.unknownColumn',
          `Error assigning '${text}' to a non-existing column '${column}'!`,
        )
    }
    const types = new Map(this.#structure.columns(path))
    for (const name of parentNames) types.set(name, 'scalar')
    for (const [key, type] of types) {
      const column = legacyName(key)
      const value = Object.hasOwn(parents, key)
        ? parents[key]
        : Object.hasOwn(row, key)
          ? row[key]
          : undefined
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
        if (type !== 'object') set(column, '')
      } else if (isListType(type)) {
        set(column, link)
        writeList(`${path}.${key}`, Array.isArray(value) ? value : [value], link)
      } else if (type === 'object' && !isScalar(value) && !Array.isArray(value)) {
        const inner = this.#cells(`${path}.${key}`, value, {}, link, writeList)
        for (const [name, text] of inner) set(legacyName(`${column}_${name}`), text)
      } else
        set(column, isScalar(value) ? cellText(value, this.#compat) : phpJsonEncode(value, !this.#compat))
    }
    return cells
  }

  #header(path: string, parents: readonly string[]): string[] {
    const id = JSON.stringify([path, parents])
    let header = this.#headers.get(id)
    if (header === undefined) {
      header = withHashedClashes([...this.#columnNames(path), ...parents])
      this.#headers.set(id, header)
    }
    return header
  }

  #columnNames(path: string): string[] {
    const names: string[] = []
    for (const [key, type] of this.#structure.columns(path)) {
      if (type !== 'object') names.push(key)
      else for (const name of this.#header(`${path}.${key}`, [])) names.push(`${key}_${name}`)
    }
    return names
  }
}

const withHashedClashes = (names: readonly string[]): string[] => {
  const header: string[] = []
  for (const name of names) {
    const safe = legacyName(name)
    header.push(header.includes(safe) ? md5Digest(name) : safe)
  }
  return header
}

/** The old rule for names: shortened before it is cleaned, runs of underscores stay. */
const legacyName = (name: string): string => {
  const bytes = Buffer.byteLength(name)
  return shortName(name, bytes)
    .replace(/[^A-Za-z0-9-]/gu, c => '_'.repeat(Buffer.byteLength(c)))
    .replace(/^_+|_+$/g, '')
}
