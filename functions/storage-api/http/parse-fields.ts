import { UserError } from '../../lib/errors/errors.ts'

const MAX_FIELDS = 20_000
const MAX_DEPTH = 16
const MAX_NAME_LENGTH = 2_000

/** Fields whose keys are names, even when all of them are digits: a column may be called `2024`. */
const objects = new Set(['columnsMetadata', 'bucketPermissions'])

/** The texts under one name, the last one last. */
type Leaf = { leaf: string[] }
interface Branch {
  children: Map<string, Leaf | Branch>
  /** The index for the next `[]`. */
  nextIndex: number
}

/**
 * Reads form or query fields whose names nest as in PHP: `tags[]`, `tags[0]`, `whereFilters[0][values][]`.
 *
 * Values with only indexes become a list in their order (without gaps), others and `columnsMetadata` an object. Of a repeated name `choose`
 * picks the value: by default the last text. Names are data, never properties of a prototype. Refuses more than 20,000
 * fields, 16 levels or 2,000 characters in a name (`storage.validation`).
 */
export const parseFields = (
  entries: Iterable<readonly [string, string]>,
  choose: (name: string, texts: readonly string[]) => unknown = (_name, texts) => texts.at(-1),
): Record<string, unknown> => {
  const root = newBranch()
  let count = 0
  for (const [name, value] of entries) {
    if (++count > MAX_FIELDS) throw refused(`more than ${MAX_FIELDS} fields`)
    if (name.length > MAX_NAME_LENGTH)
      throw refused(`a field name of more than ${MAX_NAME_LENGTH} characters`)
    place(root, segmentsOf(name), value)
  }
  return Object.fromEntries(
    [...root.children].map(([name, node]) => [
      name,
      'leaf' in node ? choose(name, node.leaf) : objects.has(name) ? toObject(node) : toValue(node),
    ]),
  )
}

/** `a[b][]` -> `['a', 'b', '']`. Unclosed brackets belong to the name. */
const segmentsOf = (name: string): string[] => {
  const open = name.indexOf('[')
  const nested = name.slice(open)
  if (open <= 0 || !/^(\[[^[\]]*\])+$/.test(nested)) return [name]
  const segments = [name.slice(0, open), ...nested.slice(1, -1).split('][')]
  if (segments.length > MAX_DEPTH) throw refused(`fields nested more than ${MAX_DEPTH} deep`)
  return segments
}

const place = (root: Branch, segments: string[], value: string): void => {
  let branch = root
  for (const segment of segments.slice(0, -1)) {
    const key = keyIn(branch, segment)
    const child = branch.children.get(key)
    const next = child && 'children' in child ? child : newBranch()
    branch.children.set(key, next)
    branch = next
  }
  const key = keyIn(branch, segments.at(-1) ?? '')
  const before = branch.children.get(key)
  if (before && 'leaf' in before) before.leaf.push(value)
  else branch.children.set(key, { leaf: [value] })
}

const keyIn = (branch: Branch, segment: string): string => {
  const key = segment === '' ? String(branch.nextIndex) : segment
  if (isIndex(key)) branch.nextIndex = Math.max(branch.nextIndex, Number(key) + 1)
  return key
}

const toValue = (node: Leaf | Branch): unknown => {
  if ('leaf' in node) return node.leaf.at(-1)
  const entries = [...node.children]
  if (!entries.every(([key]) => isIndex(key))) return toObject(node)
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, child]) => toValue(child))
}

const toObject = ({ children }: Branch): Record<string, unknown> =>
  Object.fromEntries([...children].map(([key, child]) => [key, toValue(child)]))

/** `0`, `1`, … without leading zeros: the key of a list. */
export const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key)

const newBranch = (): Branch => ({ children: new Map(), nextIndex: 0 })

const refused = (what: string) => new UserError('storage.validation', `Invalid request: ${what}.`)
