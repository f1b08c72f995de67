import { UserError } from '../../errors/errors.ts'
import { JsonNumber } from '../../json/json-number.ts'
import type { Json } from '../../json/json-value.ts'

export type NodeType = 'null' | 'scalar' | 'object' | 'array'

/** The child of a list's node that describes its items. */
export const ITEMS = '[]'

/** Several times as many columns as a table may have. Each row has a cell in each: rows with a key of their own would make much of little. */
const MAX_CHILDREN = 10_000

const tooManyKeys = (node: StructureNode): UserError =>
  new UserError(
    'storage.maxNumberOfColumnsExceed',
    `The objects of '${node.cleanPath}' have more than ${MAX_CHILDREN} different keys, each of which would be a column. If keys are data there, map the columns of the table.`,
  )

/**
 * One place in the JSON of a data type, and what was learnt about it (docs/reference/extractor-tables.md#structure).
 *
 * Children are in order of first appearance, which is the order of columns.
 */
export class StructureNode {
  /** Tells nodes apart in checkpoints, where a path would not: an upgrade puts a new node at an old path. */
  id: number
  key: string
  parent: StructureNode | undefined
  type: NodeType | undefined
  /** Last type other than null: the items of a list fall back to `null` when the list itself is null once. */
  solid: NodeType | undefined
  /** Column name; empty or `0` counts as none, as in Generic Extractor, and is given again. */
  header: string | undefined
  /** Added for a parent or user data column, not found in the data. */
  isParent = false
  children = new Map<string, StructureNode>()
  /** Shared by all nodes below a root. */
  readonly #ids: { last: number }

  constructor(key: string, parent: StructureNode | undefined) {
    this.key = key
    this.parent = parent
    this.#ids = parent ? parent.#ids : { last: 0 }
    this.id = ++this.#ids.last
  }

  get items(): StructureNode | undefined {
    return this.children.get(ITEMS)
  }

  child(key: string): StructureNode {
    let child = this.children.get(key)
    if (child === undefined) {
      if (this.children.size >= MAX_CHILDREN) throw tooManyKeys(this)
      child = new StructureNode(key, this)
      this.children.set(key, child)
    }
    return child
  }

  setType(type: NodeType): void {
    this.type = type
    if (type !== 'null') this.solid = type
  }

  /** Keys from the data type on: `root`, `[]`, `a`. */
  get path(): string[] {
    const keys = [this.key]
    for (let node = this.parent; node !== undefined; node = node.parent) keys.push(node.key)
    return keys.reverse()
  }

  /** The key at the root. */
  get dataType(): string {
    return this.parent === undefined ? this.key : this.parent.dataType
  }

  /** Path in links and table names: without the list marks. */
  get cleanPath(): string {
    return this.path.filter(key => key !== ITEMS).join('.')
  }

  /** As a checkpoint has it. Ids given from now on are above it. */
  restoreId(id: number): void {
    this.id = id
    this.#ids.last = Math.max(this.#ids.last, id)
  }
}

/** What `learnItems` reports besides the changed nodes. */
export interface LearnEvents {
  /** A list inside a list will be written as JSON text. */
  nestedList(path: string): void
  /** What rows written so far mean has changed: a value became a list, or known columns were given again. */
  unstable(): void
}

/**
 * Learns the structure of one page of items of a data type (docs/reference/extractor-tables.md#structure), row after
 * row.
 */
export const learnItems = (root: StructureNode, items: readonly Json[], events: LearnEvents): void => {
  learnList(root, items, events)
  setNodeType(root, 'array', events)
}

const learnList = (list: StructureNode, items: readonly Json[], events: LearnEvents): void => {
  const itemsNode = list.child(ITEMS)
  if (items.length === 0) setNodeType(itemsNode, 'null', events)
  for (const item of items) learnValue(itemsNode, item, events)
}

const learnValue = (node: StructureNode, value: Json, events: LearnEvents): void => {
  if (value === null) setNodeType(node, 'null', events)
  else if (typeof value !== 'object' || value instanceof JsonNumber) setNodeType(node, 'scalar', events)
  else if (!Array.isArray(value)) {
    for (const key of Object.keys(value)) learnValue(node.child(key), value[key] as Json, events) // its own keys
    setNodeType(node, 'object', events)
  } else if (node.key === ITEMS) {
    events.nestedList(node.path.join('.'))
    setNodeType(node, 'scalar', events)
  } else {
    learnList(node, value, events)
    setNodeType(node, 'array', events)
  }
}

/**
 * Null fits all; a single value joins a list of its kind; everything else is an error
 * (docs/reference/extractor-tables.md#types).
 */
const setNodeType = (node: StructureNode, type: NodeType, events: LearnEvents): void => {
  if (node.type === undefined || node.type === type) {
    if (node.solid !== undefined && type !== 'null' && node.solid !== type) events.unstable()
    node.setType(type)
  } else if (node.type === 'array' || type === 'array') upgradeToList(node, type, events)
  else if (node.type === 'null') {
    if (node.solid !== undefined && node.solid !== type) events.unstable()
    node.setType(type)
  } else if (type !== 'null') {
    throw incompatible(
      `Unhandled nodeType change from "${node.type}" to "${type}" in "${node.path.join('.')}"`,
      node,
    )
  }
}

/**
 * Makes `node` a list of what it was, or keeps it one and takes `type` among its items.
 *
 * Generic Extractor forgets what the items were when either side is null, so a list that is null in the last row
 * gives a child table with links only; the tables must come out the same, so that is kept.
 */
const upgradeToList = (node: StructureNode, type: NodeType, events: LearnEvents): void => {
  const single = node.type === 'array' ? type : (node.type ?? 'null')
  const items = node.items
  if (items?.type === undefined) throw incompatible('Array contents are unknown', node)
  if (items.type !== single && single !== 'null' && items.type !== 'null') {
    throw incompatible(
      `Data array in '${node.path.join('.')}' contains incompatible types '${items.type}' and '${single}'`,
      node,
    )
  }
  if (node.type !== 'array' && node.solid !== undefined) events.unstable()
  for (const [key, child] of node.children) {
    if (key === ITEMS) continue
    events.unstable()
    items.children.set(key, child)
    child.parent = items
  }
  node.children = new Map([[ITEMS, items]])
  if (single !== 'null' && items.solid !== undefined && items.solid !== single) events.unstable()
  items.setType(single)
  node.setType('array')
  node.isParent = false
  if (hasHeader(node)) items.header = 'data'
  else node.header = undefined
}

/** Generic Extractor counts `''` and `'0'` as no name. */
export const hasHeader = (node: StructureNode): boolean =>
  node.header !== undefined && node.header !== '' && node.header !== '0'

const incompatible = (message: string, node: StructureNode): UserError => {
  return new UserError(
    'extractor.tables.incompatibleTypes',
    `Error parsing response JSON: ${message} (a mapping with "forceType" takes both, as JSON)`,
    {
      params: { path: node.path.join('.') },
    },
  )
}
