import { UserError } from '../../errors/errors.ts'

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
