import { md5Digest } from '../../digests.ts'
import { isObject } from '../../json/json-value.ts'
import { transliterate } from '../../table-engine/csv/column-names.ts'
import { safeName } from '../values/php/safe-name.ts'
import { hasHeader } from './learn.ts'
import { ITEMS, type NodeType, StructureNode } from './structure-node.ts'

/** All data types of one bucket: what their JSON looks like and what the columns are called. */
export class Structure {
  readonly roots = new Map<string, StructureNode>()
  /** Parent columns that were renamed because a data column has their name: asked name to given name. */
  readonly parentAliases = new Map<string, string>()
  /** Names columns as Generic Extractor does, which drops letters that are not Latin ones. */
  isCompat = true
  /** Column names taken, by table path. Not saved between runs, as in Generic Extractor. */
  readonly takenNames = new Map<string, Set<string>>()

  root(type: string): StructureNode {
    let root = this.roots.get(type)
    if (root === undefined) {
      root = new StructureNode(type, undefined)
      this.roots.set(type, root)
    }
    return root
  }

  /** Names every column that has none yet; run once per page and per new parent column, since order decides clashes. */
  nameColumns(): void {
    for (const root of this.roots.values()) {
      const items = root.items
      if (items !== undefined) this.#nameNode(items, ITEMS, `_${root.key}`)
    }
  }

  #nameNode(node: StructureNode, name: string, table: string): void {
    if (!hasHeader(node)) node.header = name === ITEMS ? 'data' : this.#uniqueName(table, this.#nameOf(name))
    const isList = node.type === 'array'
    const childTable = isList ? `${table}.${name}` : table
    for (const [key, child] of node.children) {
      this.#nameNode(child, isList || name === '' ? key : `${name}.${key}`, childTable)
    }
  }

  /** A name of other letters than Latin ones is one that can be loaded, and the same in each run. */
  #nameOf(path: string): string {
    if (this.isCompat) return safeName(path)
    const ascii = transliterate(path)
    const name = safeName(ascii)
    return name !== '' && !/[^\0-\x7f]/.test(ascii.replaceAll(/[^\p{L}\p{N}]/gu, ''))
      ? name
      : `${name || 'column'}_${md5Digest(path).slice(0, 8)}`
  }

  #uniqueName(table: string, name: string): string {
    let taken = this.takenNames.get(table)
    if (taken === undefined) {
      taken = new Set()
      this.takenNames.set(table, taken)
    }
    let unique = name
    for (let i = 0; taken.has(unique); i++) unique = `${name}_u${i}`
    taken.add(unique)
    return unique
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
