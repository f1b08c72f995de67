import type { Json, JsonObject } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import { isScalar } from '../values/php/cell.ts'
import { phpJsonEncode } from '../values/php/php-json-encode.ts'
import type { Structure } from './structure.ts'
import { ITEMS, type StructureNode } from './structure-node.ts'

type Kind = 'scalar' | 'object' | 'array'

/** What the values at one place are: the first kind that came, and a list once one came. */
interface Place {
  kind: Kind | undefined
  members: Map<string, Place>
  items: Place | undefined
}

/** Names the place of an odd value, its usual kind and the column that has it now. Called once per place. */
type OnConflict = (conflict: { path: string; kind: Kind; column: string }) => void

/**
 * Puts values that do not fit the columns known so far aside, so that rows which hold them can be written: as JSON text in a
 * column beside, whose name ends with `_conflict` (docs/reference/extractor-tables.md#type-conflicts).
 *
 * A list whose elements are of two kinds, or of another kind than before, goes aside as a whole. What fits: `learn.ts`.
 *
 * @param structure what earlier runs have learnt
 * @param saved what an earlier leg of this run has seen
 */
export const createConflictKeeper = (
  structure: Structure,
  saved: SavedPlaces | undefined,
  compat: boolean,
  onConflict: OnConflict,
) => {
  const roots = new Map(Object.entries(saved ?? {}).map(([type, place]) => [type, restored(place)]))
  const said = new Set<string>()

  const textOf = (value: Json): string =>
    typeof value === 'object' ? phpJsonEncode(value, !compat) : JSON.stringify(value)

  const say = (path: readonly string[], kind: Kind, column: string): void => {
    const at = path.join('.')
    if (said.has(at)) return
    said.add(at)
    onConflict({ path: at, kind, column })
  }

  /** The value with odd ones below it put aside. It fits itself. */
  const kept = (place: Place, value: Json, path: readonly string[]): Json => {
    learn(place, value)
    if (Array.isArray(value)) {
      const items = itemsOf(place)
      return mapChanged(value, element => (Array.isArray(element) ? element : kept(items, element, path)))
    }
    if (!isRow(value)) return value
    return keptObject(place.kind === 'array' ? itemsOf(place) : place, value, path)
  }

  const keptObject = (place: Place, row: JsonObject, path: readonly string[]): JsonObject => {
    let changed: JsonObject | undefined
    for (const [key, value] of Object.entries(row)) {
      const member = memberOf(place, key)
      if (fits(member, value)) {
        const inner = kept(member, value, [...path, key])
        if (inner !== value) changed = { ...(changed ?? row), [key]: inner }
        continue
      }
      const column = freeName(row, key)
      say([...path, key], member.kind ?? 'scalar', column)
      changed = { ...(changed ?? row), [key]: null, [column]: textOf(value) }
    }
    return changed ?? row
  }

  return {
    save: (): SavedPlaces => Object.fromEntries([...roots].map(([type, place]) => [type, stored(place)])),

    /** The rows of a page, the same list when all of them fit. */
    keep(type: string, rows: readonly Json[]): readonly Json[] {
      let root = roots.get(type)
      if (root === undefined) {
        root = placeOf(structure.roots.get(type)?.items)
        roots.set(type, root)
      }
      const place = root
      return mapChanged(rows, row => {
        const value = Array.isArray(row) ? textOf(row) : row // a row that is a list becomes JSON text anyway
        if (value === row ? fits(place, row) : place.kind !== 'object') return kept(place, row, [type])
        const column = place.kind === 'object' ? `data${suffix}` : 'data'
        say([type], place.kind ?? 'scalar', column)
        return place.kind === 'object' ? { [column]: textOf(row) } : textOf(row)
      })
    },
  }
}

/** `k`: kind, `m`: members, `i`: items. Short, since there is one for every key of an API. */
interface SavedPlace {
  k?: Kind | undefined
  m?: Record<string, SavedPlace>
  i?: SavedPlace
}

export type SavedPlaces = Record<string, SavedPlace>

const stored = ({ kind, members, items }: Place): SavedPlace => ({
  ...(kind === undefined ? {} : { k: kind }),
  ...(members.size === 0
    ? {}
    : { m: Object.fromEntries([...members].map(([key, member]) => [key, stored(member)])) }),
  ...(items === undefined ? {} : { i: stored(items) }),
})

const restored = ({ k, m = {}, i }: SavedPlace): Place => ({
  kind: k,
  members: new Map(Object.entries(m).map(([key, member]) => [key, restored(member)])),
  items: i === undefined ? undefined : restored(i),
})

const suffix = '_conflict'

const freeName = (row: JsonObject, key: string): string => {
  const name = `${key}${suffix}`
  if (!Object.hasOwn(row, name)) return name
  let number = 2
  while (Object.hasOwn(row, `${name}_${number}`)) number++
  return `${name}_${number}`
}

const placeOf = (node: StructureNode | undefined): Place => {
  const place: Place = { kind: undefined, members: new Map(), items: undefined }
  if (node === undefined) return place
  const type = node.solid ?? node.type
  place.kind = type === 'null' ? undefined : type
  for (const [key, child] of node.children) {
    if (child.isParent) continue
    if (key === ITEMS) place.items = placeOf(child)
    else place.members.set(key, placeOf(child))
  }
  return place
}

const memberOf = (place: Place, key: string): Place => {
  let member = place.members.get(key)
  if (member === undefined) {
    member = placeOf(undefined)
    place.members.set(key, member)
  }
  return member
}

const itemsOf = (place: Place): Place => {
  place.items ??= placeOf(undefined)
  return place.items
}

const isRow = (value: Json): value is JsonObject => isObject(value) && !isScalar(value)

const kindOf = (value: Json): Kind | undefined =>
  value === null ? undefined : Array.isArray(value) ? 'array' : isRow(value) ? 'object' : 'scalar'

/** The kind of the elements, `mixed` when there are two. A list in a list counts as its JSON text. */
const elementKind = (list: readonly Json[]): Kind | 'mixed' | undefined => {
  let common: Kind | undefined
  for (const element of list) {
    const kind = Array.isArray(element) ? 'scalar' : kindOf(element)
    if (kind === undefined || kind === common) continue
    if (common !== undefined) return 'mixed'
    common = kind
  }
  return common
}

/** A single value fits a list of its kind, and the other way round (docs/reference/extractor-tables.md#types). */
const fits = (place: Place, value: Json): boolean => {
  const kind = kindOf(value)
  if (kind === undefined) return true
  const inner = place.kind === 'array' ? place.items?.kind : place.kind
  const own = Array.isArray(value) ? elementKind(value) : kind
  return own !== 'mixed' && (own === undefined || inner === undefined || own === inner)
}

const learn = (place: Place, value: Json): void => {
  const kind = kindOf(value)
  if (kind === undefined) return
  if (kind === 'array' && place.kind !== 'array') {
    // What it was becomes what its elements are
    place.items = { kind: place.kind, members: place.members, items: undefined }
    place.members = new Map()
    place.kind = 'array'
  }
  if (place.kind === 'array') {
    const own = Array.isArray(value) ? elementKind(value) : kind
    if (own !== undefined && own !== 'mixed') itemsOf(place).kind ??= own
  } else place.kind ??= kind
}

/** `map` that gives the list itself when nothing changed. */
const mapChanged = <T>(list: readonly T[], change: (value: T) => T): T[] => {
  let result: T[] | undefined
  for (const [index, value] of list.entries()) {
    const changed = change(value)
    if (changed !== value) result ??= list.slice(0, index)
    result?.push(changed)
  }
  return result ?? (list as T[])
}
