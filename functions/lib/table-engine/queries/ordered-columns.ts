/** A node of the syntax tree that DuckDB makes of a statement. */
export type Node = Readonly<Record<string, unknown>>

/** Without recursion: each node costs the same in whatever depth it stands. */
export function* nodesIn(value: unknown): Generator<Node> {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) yield next as Node
    for (const part of Object.values(next).reverse()) left.push(part)
  }
}

const FUNCTIONS = /^(min|max|least|greatest|median|quantile|quantile_disc|percentile_disc)$/
/** Their second value is the ordered one. */
const BY_SECOND = /^(arg_?min|arg_?max|min_by|max_by)$/

const listed = (value: unknown): Node[] => (Array.isArray(value) ? value : [])

/** The expressions that a node puts in order: `<` and its kin, `max` and its kin, `ORDER BY`. */
function* orderedBy(node: Node): Generator<Node | undefined> {
  const { type, function_name: name = '', children, orders, modifiers, select_list } = node
  if (/^COMPARE_(LESS|GREATER)THAN/.test(String(type))) yield* listed([node['left'], node['right']])
  if (type === 'COMPARE_BETWEEN') yield* listed([node['input'], node['lower'], node['upper']])
  if (FUNCTIONS.test(String(name))) yield* listed(children)
  if (BY_SECOND.test(String(name))) yield listed(children)[1]
  yield* listed(orders).map(({ expression }) => expression as Node)
  // ORDER BY ALL, and by the places of columns.
  const places = listed(modifiers).flatMap(modifier => listed(modifier['orders']))
  for (const { expression } of places) {
    const { type: kind, value } = expression as Node
    if (kind === 'STAR') yield* listed(select_list)
    if (kind === 'VALUE_CONSTANT') yield listed(select_list)[Number((value as Node)['value']) - 1]
  }
}

/** Whether a statement puts the values of a column in order as they are, without a cast. */
export const orderedColumns = (nodes: readonly Node[]): ((column: string) => boolean) => {
  const nameOf = (node: Node): string => String(listed(node['column_names']).at(-1)).toLowerCase()
  const columns = nodes.filter(({ type }) => type === 'COLUMN_REF')
  const aliased = new Map(columns.map(node => [String(node['alias']).toLowerCase(), nameOf(node)]))
  const ordered = new Set<string>()
  for (const part of nodes.flatMap(node => [...orderedBy(node)])) {
    if (part?.['type'] === 'STAR') return () => true
    if (part?.['type'] === 'COLUMN_REF') ordered.add(nameOf(part)).add(aliased.get(nameOf(part)) ?? '')
  }
  const isSummary = nodes.some(node => node['show_type'] === 'SUMMARY')
  return column => isSummary || ordered.has(column.toLowerCase())
}
