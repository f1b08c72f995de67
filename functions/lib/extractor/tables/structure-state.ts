import { Structure } from './structure.ts'
import { type NodeType, StructureNode } from './structure-node.ts'

/** A structure with everything that a later process needs, unlike `storeStructure` (the format of the output state). */
export interface StructureState {
  roots: NodeState[]
  parentAliases: [string, string][]
  takenNames: [string, string[]][]
}

interface NodeState {
  id: number
  key: string
  type?: NodeType
  solid?: NodeType
  header?: string
  isParent?: true
  children?: NodeState[]
}

export const saveStructure = (structure: Structure): StructureState => ({
  roots: [...structure.roots.values()].map(saveNode),
  parentAliases: [...structure.parentAliases],
  takenNames: [...structure.takenNames].map(([table, names]) => [table, [...names]]),
})

const saveNode = (node: StructureNode): NodeState => ({
  id: node.id,
  key: node.key,
  ...(node.type === undefined ? {} : { type: node.type }),
  ...(node.solid === undefined ? {} : { solid: node.solid }),
  ...(node.header === undefined ? {} : { header: node.header }),
  ...(node.isParent ? { isParent: true as const } : {}),
  ...(node.children.size === 0 ? {} : { children: [...node.children.values()].map(saveNode) }),
})

export const restoreStructure = (state: StructureState): Structure => {
  const structure = new Structure()
  for (const root of state.roots) structure.roots.set(root.key, restoreNode(root, undefined))
  for (const [name, alias] of state.parentAliases) structure.parentAliases.set(name, alias)
  for (const [table, names] of state.takenNames) structure.takenNames.set(table, new Set(names))
  return structure
}

const restoreNode = (state: NodeState, parent: StructureNode | undefined): StructureNode => {
  const node = new StructureNode(state.key, parent)
  node.restoreId(state.id)
  node.type = state.type
  node.solid = state.solid
  node.header = state.header
  node.isParent = state.isParent === true
  for (const child of state.children ?? []) node.children.set(child.key, restoreNode(child, node))
  return node
}
