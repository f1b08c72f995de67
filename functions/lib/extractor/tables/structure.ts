import { isObject } from '../../json/json-value.ts'
import {
  losesLetters,
  MAX_COLUMN_NAME_LENGTH,
  markedName,
  sanitizeColumnName,
  transliterate,
} from '../../table-engine/csv/column-names.ts'
import { safeName } from '../values/php/php-values.ts'
import { hasHeader, ITEMS, type NodeType, StructureNode } from './structure-node.ts'

/** All data types of one bucket: what their JSON looks like and what the columns are called. */
export class Structure {
  readonly roots = new Map<string, StructureNode>()
  /** Parent columns that were renamed because a data column has their name: asked name to given name. */
  readonly parentAliases = new Map<string, string>()
  /** Names columns as Generic Extractor does, which drops letters that are not Latin ones. */
  isCompat = true
  /** Column names taken, by table path. Not saved between runs; without `compat` they are those that columns have. */
  readonly takenNames = new Map<string, Set<string>>()

  root(type: string): StructureNode {
    let root = this.roots.get(type)
    if (root === undefined) {
      root = new StructureNode(type, undefined)
      this.roots.set(type, root)
    }
    return root
  }

  /** Whether names that columns have from an earlier run are among those taken. */
  #knowsNames = false

  /** Names every column that has none yet; run once per page and per new parent column, since order decides clashes. */
  nameColumns(): void {
    if (!this.isCompat && !this.#knowsNames)
      this.#eachNode(({ header }, name, table) => {
        if (header !== undefined && name !== ITEMS) this.#takenOf(table).add(this.#loadedName(header))
      })
    this.#knowsNames = true
    this.#eachNode((node, name, table) => {
      if (!hasHeader(node))
        node.header = name === ITEMS ? 'data' : this.#uniqueName(table, this.#nameOf(name))
    })
  }

  hasParentColumns(): boolean {
    let found = this.parentAliases.size > 0
    this.#eachNode(({ isParent }) => {
      found ||= isParent
    })
    return found
  }

  #eachNode(visit: (node: StructureNode, name: string, table: string) => void): void {
    for (const root of this.roots.values()) {
      const items = root.items
      if (items !== undefined) this.#visitNode(items, ITEMS, `_${root.key}`, visit)
    }
  }

  #visitNode(
    node: StructureNode,
    name: string,
    table: string,
    visit: (node: StructureNode, name: string, table: string) => void,
  ): void {
    visit(node, name, table)
    const isList = node.type === 'array'
    const childTable = isList ? `${table}.${name}` : table
    for (const [key, child] of node.children) {
      this.#visitNode(child, isList || name === '' ? key : `${name}.${key}`, childTable, visit)
    }
  }

  /** A name of other letters than Latin ones is one that can be loaded, and the same in each run. */
  #nameOf(path: string): string {
    if (this.isCompat) return safeName(path)
    const name = safeName(transliterate(path))
    // `-` alone is a name here, and none for a load.
    if (sanitizeColumnName(name) === '') return markedName('', path)
    return losesLetters(path) ? markedName(name, path) : name
  }

  #uniqueName(table: string, name: string): string {
    const taken = this.#takenOf(table)
    let unique = name
    for (let i = 0; taken.has(this.#loadedName(unique)); i++) unique = this.#withSuffix(name, `_u${i}`)
    taken.add(this.#loadedName(unique))
    return unique
  }

  #takenOf(table: string): Set<string> {
    const taken = this.takenNames.get(table) ?? new Set()
    this.takenNames.set(table, taken)
    return taken
  }

  #withSuffix(name: string, suffix: string): string {
    return this.isCompat ? name + suffix : name.slice(0, MAX_COLUMN_NAME_LENGTH - suffix.length) + suffix
  }

  /** What tells columns from each other when the table is loaded: case and special characters do not. */
  #loadedName(name: string): string {
    return this.isCompat ? name : sanitizeColumnName(name).toLowerCase()
  }
}

/**
 * `json_parser.struct` as stored in the state: names with `_` in front, `[]` for items (structure version 3).
 *
 * @param isWhole with what another process needs to go on
 */
export const storeStructure = (structure: Structure, isWhole = false): StoredStructure => {
  const data: Record<string, StoredNode> = {}
  for (const [type, root] of structure.roots) data[`_${type}`] = storeNode(root, isWhole)
  const { parentAliases, takenNames } = structure
  return {
    data,
    parent_aliases: parentAliases.size === 0 ? [] : Object.fromEntries(parentAliases),
    ...(isWhole && { takenNames: [...takenNames].map(([table, names]) => [table, [...names]]) }),
  }
}

export interface StoredStructure {
  data: Record<string, StoredNode>
  /** An empty list when there are none: PHP writes an empty map so. */
  parent_aliases: Record<string, string> | []
  takenNames?: [table: string, names: string[]][]
}

interface StoredNode {
  [key: string]: StoredNode | string | number
}

const storeNode = (node: StructureNode, isWhole: boolean): StoredNode => {
  const stored: StoredNode = {}
  for (const [key, child] of node.children)
    stored[key === ITEMS ? ITEMS : `_${key}`] = storeNode(child, isWhole)
  if (node.type !== undefined) stored['nodeType'] = node.type
  if (node.isParent) stored['type'] = 'parent'
  if (node.header !== undefined) stored['headerNames'] = node.header
  if (isWhole) Object.assign(stored, { id: node.id, solid: node.solid })
  return stored
}

/**
 * Reads `json_parser.struct` of an earlier run, or a whole structure. Anything else than a structure of version 3 counts as none.
 *
 * @param isWhole as another process stored it
 */
export const loadStructure = (stored: unknown, isWhole = false): Structure => {
  const structure = new Structure()
  if (!isObject(stored) || !isObject(stored['data'])) return structure
  for (const [name, value] of Object.entries(stored['data']))
    if (name.startsWith('_') && isObject(value)) loadNode(structure.root(name.slice(1)), value, isWhole)
  if (isObject(stored['parent_aliases'])) {
    for (const [name, alias] of Object.entries(stored['parent_aliases'])) {
      if (typeof alias === 'string') structure.parentAliases.set(name, alias)
    }
  }
  const { takenNames = [] } = isWhole ? (stored as unknown as StoredStructure) : {} // as `storeStructure` gave it
  for (const [table, names] of takenNames) structure.takenNames.set(table, new Set(names))
  return structure
}

const nodeTypes = new Set<unknown>(['null', 'scalar', 'object', 'array'])

const loadNode = (node: StructureNode, stored: Record<string, unknown>, isWhole: boolean): void => {
  for (const [name, value] of Object.entries(stored)) {
    if (isObject(value)) loadNode(node.child(name === ITEMS ? ITEMS : name.slice(1)), value, isWhole)
  }
  const { nodeType, type, headerNames, id, solid } = stored
  if (nodeTypes.has(nodeType)) node.setType(nodeType as NodeType) // one of the set
  if (typeof headerNames === 'string') node.header = headerNames
  node.isParent = type === 'parent'
  if (!isWhole) return
  node.solid = solid as NodeType | undefined // as `storeNode` gave them
  node.restoreId(id as number)
}
