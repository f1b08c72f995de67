import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { csvLine, isScalar, safeName } from '../values/php/php-values.ts'
import type { Structure } from './structure.ts'
import { ITEMS, type NodeType, StructureNode } from './structure-node.ts'

/** What the items of a list count as: with `compat` null can hide it (see `upgradeToList`). */
export const typeOf = (node: StructureNode, compat: boolean): NodeType | undefined =>
  compat ? node.type : (node.solid ?? node.type)

/** Column names of a table from its items node: order of first appearance, objects flattened in their place. */
export const columnNames = (node: StructureNode, compat: boolean): string[] => {
  const names = typeOf(node, compat) === 'scalar' ? [node.header ?? ''] : []
  for (const child of node.children.values()) {
    if (child.type === 'object') names.push(...columnNames(child, compat))
    else names.push(child.header ?? '')
  }
  return names
}

/** The first line of a table; one without columns has none. */
export const headerLine = (columns: readonly string[]): string => (columns.length > 0 ? csvLine(columns) : '')

/**
 * Adds a parent column that the table does not have yet, and returns its name: another one where the data has a column of that name, which the
 * structure remembers for all tables.
 */
export const addParentColumn = (structure: Structure, node: StructureNode, key: string): string => {
  const known = node.children.get(key)
  if (known?.isParent === true) return key
  let name = key
  if (known !== undefined) {
    for (let i = 0; node.children.has(name); i++) name = `${key}_u${i}`
    structure.parentAliases.set(key, name)
  }
  const column = new StructureNode(name, node)
  column.setType('scalar')
  column.isParent = true
  node.children.set(name, column)
  structure.nameColumns()
  return name
}

/**
 * Where the columns of a table are in rows that were written with other ones: parent columns are behind them. `undefined`: in the same places.
 * Columns that are gone were of nulls only, or the rows would not count as exact.
 *
 * @param from nodes of the columns of the rows, by id
 * @param to those of the table
 */
export const mapColumns = (
  from: readonly number[],
  node: StructureNode,
  to: readonly number[],
  parentCount: number,
  compat: boolean,
): readonly number[] | undefined => {
  const isHidden = compat && node.type === 'null' && node.solid !== undefined
  const mapping = isHidden ? to.filter(id => id !== node.id).map(() => -1) : to.map(id => from.indexOf(id))
  for (let i = 0; i < parentCount; i++) mapping.push(from.length + i)
  const isSame = mapping.length === from.length + parentCount && mapping.every((place, i) => place === i)
  return isSame ? undefined : mapping
}

/** @throws UserError `extractor.tables.parentNotScalar` */
export const checkParents = (parents: Readonly<Record<string, Json>>): void => {
  for (const [name, value] of Object.entries(parents)) {
    if (value === null || isScalar(value)) continue
    throw new UserError(
      'extractor.tables.parentNotScalar',
      `Error assigning parentId to a CSV file! The value of '${name}' is not a single value.`,
      { params: { column: name } },
    )
  }
}

/** Whether a list is inside of one whose items null has hidden: Generic Extractor never reaches such a list. */
export const isUnderHiddenItems = (node: StructureNode): boolean => {
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (outer.key === ITEMS && outer.type === 'null') return true
  }
  return false
}

/**
 * Which table the items at a place in the JSON go to (docs/reference/extractor-tables.md#structure). A list inside of rows never takes
 * the name of a data type: whoever writes that table names its columns and its key.
 */
export class TableNames {
  readonly #ofTypes: ReadonlySet<string>
  readonly #warn: (message: string) => void

  constructor(types: Iterable<string>, warn: (message: string) => void) {
    this.#ofTypes = new Set([...types].map(safeName))
    this.#warn = warn
  }

  of(items: StructureNode): string {
    const name = safeName(items.cleanPath)
    const isList = items.parent?.parent !== undefined && items.key === ITEMS
    return isList && this.#ofTypes.has(name)
      ? this.instead(items, name, other => this.#ofTypes.has(other))
      : name
  }

  /** The first free name of `name_2`, `name_3` and so on, which is said. */
  instead(items: StructureNode, name: string, isTaken: (name: string) => boolean): string {
    let number = 2
    while (isTaken(`${name}_${number}`)) number++
    const other = `${name}_${number}`
    this.#say(items, `go to the table '${other}': '${name}' has other columns`)
    return other
  }

  /** Generic Extractor writes them under the header of the others. */
  shared(items: StructureNode, name: string): string {
    this.#say(items, `are in the table '${name}', which has other columns ("compat")`)
    return name
  }

  #say({ cleanPath }: StructureNode, what: string): void {
    this.#warn(`The rows at '${cleanPath}' ${what}. Set another "dataType" to choose the names.`)
  }
}
