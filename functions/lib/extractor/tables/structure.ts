import { isObject } from '../../json/json-value.ts'
import {
  losesLetters,
  MAX_COLUMN_NAME_LENGTH,
  markedName,
  sanitizeColumnName,
  transliterate,
} from '../../table-engine/csv/column-names.ts'
import { safeName } from '../values/php/php-values.ts'
import { hasHeader } from './learn.ts'
import { ITEMS, type NodeType, StructureNode } from './structure-node.ts'

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

/** `json_parser.struct` as stored in the state: names with `_` in front, `[]` for items (structure version 3). */
export const storeStructure = (structure: Structure): StoredStructure => {
  const data: Record<string, StoredNode> = {}
  for (const [type, root] of structure.roots) data[`_${type}`] = storeNode(root)
  return { data, parent_aliases: aliasesOf(structure) }
}

interface StoredStructure {
  data: Record<string, StoredNode>
  /** An empty list when there are none: PHP writes an empty map so. */
  parent_aliases: Record<string, string> | []
}

interface StoredNode {
  [key: string]: StoredNode | string
}

const aliasesOf = (structure: Structure): Record<string, string> | [] =>
  structure.parentAliases.size === 0 ? [] : Object.fromEntries(structure.parentAliases)

const storeNode = (node: StructureNode): StoredNode => {
  const stored: StoredNode = {}
  for (const [key, child] of node.children) stored[key === ITEMS ? ITEMS : `_${key}`] = storeNode(child)
  if (node.type !== undefined) stored['nodeType'] = node.type
  if (node.isParent) stored['type'] = 'parent'
  if (node.header !== undefined) stored['headerNames'] = node.header
  return stored
}

/** Reads `json_parser.struct` of an earlier run. Anything else than a structure of version 3 counts as none. */
export const loadStructure = (stored: unknown): Structure => {
  const structure = new Structure()
  if (!isObject(stored) || !isObject(stored['data'])) return structure
  for (const [name, value] of Object.entries(stored['data'])) {
    if (!name.startsWith('_') || !isObject(value)) continue
    const root = structure.root(name.slice(1))
    loadNode(root, value)
  }
  if (isObject(stored['parent_aliases'])) {
    for (const [name, alias] of Object.entries(stored['parent_aliases'])) {
      if (typeof alias === 'string') structure.parentAliases.set(name, alias)
    }
  }
  return structure
}

const nodeTypes = new Set<unknown>(['null', 'scalar', 'object', 'array'])

const loadNode = (node: StructureNode, stored: Record<string, unknown>): void => {
  for (const [name, value] of Object.entries(stored)) {
    if (isObject(value)) loadNode(node.child(name === ITEMS ? ITEMS : name.slice(1)), value)
  }
  const { nodeType, type, headerNames } = stored
  if (nodeTypes.has(nodeType)) node.setType(nodeType as NodeType) // one of the set
  if (typeof headerNames === 'string') node.header = headerNames
  node.isParent = type === 'parent'
}

/** A structure with everything that a later process needs, unlike `storeStructure` (the format of the output state). */
export interface StructureState {
  roots: NodeState[]
  parentAliases: [string, string][]
  takenNames: [string, string[]][]
}

interface NodeState extends Pick<StructureNode, 'id' | 'key' | 'type' | 'solid' | 'header' | 'isParent'> {
  children: NodeState[]
}

export const saveStructure = (structure: Structure): StructureState => ({
  roots: [...structure.roots.values()].map(saveNode),
  parentAliases: [...structure.parentAliases],
  takenNames: [...structure.takenNames].map(([table, names]) => [table, [...names]]),
})

const saveNode = ({ id, key, type, solid, header, isParent, children }: StructureNode): NodeState => ({
  ...{ id, key, type, solid, header, isParent },
  children: [...children.values()].map(saveNode),
})

export const restoreStructure = (state: StructureState): Structure => {
  const structure = new Structure()
  for (const root of state.roots) structure.roots.set(root.key, restoreNode(root, undefined))
  for (const [name, alias] of state.parentAliases) structure.parentAliases.set(name, alias)
  for (const [table, names] of state.takenNames) structure.takenNames.set(table, new Set(names))
  return structure
}

const restoreNode = (
  { id, children, ...state }: NodeState,
  parent: StructureNode | undefined,
): StructureNode => {
  const node = Object.assign(new StructureNode(state.key, parent), state)
  node.restoreId(id)
  for (const child of children) node.children.set(child.key, restoreNode(child, node))
  return node
}
