import type { JsonObject } from '#lib/json/json-value.ts'
import {
  changeHolders,
  entriesOf,
  findAt,
  isBlocked,
  objectOf,
  type RowPath,
  readPath,
  setAt,
  withoutMember,
} from '../../values/select/row-path.ts'
import { nameTaken } from './record-error.ts'

/**
 * Fields under other names, all at once, so that two can change places. One that stays in its object keeps its place there;
 * one that goes elsewhere comes last.
 *
 * ```
 * {"customer.id": "customer_id"}    {"customer": {"id": 7, "name": "Ann"}}    {"customer": {"name": "Ann"}, "customer_id": 7}
 * ```
 *
 * @throws UserError `extractor.records.nameTaken`
 */
export const renameFields = (names: Readonly<Record<string, string>>): ((row: JsonObject) => JsonObject) => {
  const pairs = Object.entries(names).map(([from, to]) => ({
    from,
    to,
    path: readPath(from),
    target: readPath(to),
  }))
  const within = Map.groupBy(
    pairs.filter(({ from, to }) => holderOf(from) === holderOf(to)),
    ({ from }) => holderOf(from),
  )
  const moving = pairs.filter(({ from, to }) => holderOf(from) !== holderOf(to))
  return row => {
    const moved = moving.flatMap(({ path, target, to }) => {
      const found = findAt(row, path)
      return found === undefined ? [] : [{ path, target, to, value: found.value }]
    })
    let shaped = moved.reduce((rest, { path }) => without(rest, path), row)
    for (const group of within.values()) shaped = renameWithin(shaped, group)
    for (const { target, to, value } of moved) {
      if (isBlocked(shaped, target) || findAt(shaped, target) !== undefined) throw nameTaken('rename', to)
      shaped = setAt(shaped, target, value)
    }
    return shaped
  }
}

const holderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))

const without = (row: JsonObject, path: RowPath): JsonObject =>
  changeHolders(row, path, withoutMember) as JsonObject // an object stays one

interface Pair {
  path: RowPath
  target: RowPath
  to: string
}

const renameWithin = (row: JsonObject, group: readonly Pair[]): JsonObject => {
  const keys = new Map(group.map(({ path, target, to }) => [lastKey(path), { key: lastKey(target), to }]))
  const [first] = group
  if (first === undefined) return row
  return changeHolders(row, first.path, holder => {
    if (![...keys.keys()].some(key => Object.hasOwn(holder, key))) return holder
    const seen = new Set<string>()
    return objectOf(
      entriesOf(holder).map(([key, value]) => {
        const name = keys.get(key)?.key ?? key
        if (seen.has(name)) throw nameTaken('rename', name)
        seen.add(name)
        return [name, value]
      }),
    )
  }) as JsonObject // an object stays one
}

const lastKey = (path: RowPath): string => path.at(-1)?.key ?? ''
