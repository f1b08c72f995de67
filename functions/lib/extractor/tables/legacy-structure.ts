import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import { isScalar } from '../values/php/php-values.ts'

const LIST = 'arrayOf'

/** Column to type: `scalar`, `object`, `NULL`, `arrayOf<type>`. */
type LegacyColumns = Map<string, string>

/** What the old parser learns (structure version 2): per path, joined by dots, the columns and their types. */
export class LegacyStructure {
  readonly types = new Map<string, LegacyColumns>()
  readonly #nestedList: (path: string) => void

  constructor(stored: unknown, nestedList: (path: string) => void) {
    this.#nestedList = nestedList
    if (!isObject(stored)) return
    for (const [path, columns] of Object.entries(stored)) {
      if (!isObject(columns)) continue
      const known = Object.entries(columns).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      )
      if (known.length > 0) this.types.set(path, new Map(known))
    }
  }

  store(): Record<string, Record<string, string>> {
    return Object.fromEntries([...this.types].map(([path, columns]) => [path, Object.fromEntries(columns)]))
  }

  columns(path: string): LegacyColumns {
    const columns = this.types.get(path)
    if (columns !== undefined && columns.size > 0) return columns
    throw incompatible(`Trying to retrieve unknown definitions for '${path}'`)
  }

  knows(path: string): boolean {
    return (this.types.get(path)?.size ?? 0) > 0
  }

  /** The type of the items; `undefined` for an empty list. */
  learn(path: string, items: readonly Json[]): string | undefined {
    let type = this.#itemType(path)
    for (const item of items) {
      const next = this.#learnItem(path, item)
      if (type !== undefined && next !== type && next !== 'NULL' && type !== 'NULL') {
        throw incompatible(
          `Data array in '${path}' contains incompatible data types '${type}' and '${next}'!`,
        )
      }
      type = next
    }
    return items.length === 0 ? undefined : type
  }

  #learnItem(path: string, item: Json): string {
    if (item === null) {
      this.#add(path, new Map())
      return 'NULL'
    }
    if (isScalar(item) || Array.isArray(item)) {
      if (Array.isArray(item)) this.#nestedList(path)
      this.#add(path, new Map([['data', 'scalar']]))
      return 'scalar'
    }
    const columns: LegacyColumns = new Map()
    for (const key of Object.keys(item)) {
      const type = this.#fieldType(`${path}.${key}`, item[key] as Json) // its own keys
      if (type !== undefined) columns.set(key, type)
    }
    this.#add(path, columns)
    return 'object'
  }

  /** `undefined`: an empty object, which makes no column. */
  #fieldType(path: string, value: Json): string | undefined {
    if (value === null) return 'NULL'
    if (isScalar(value)) return 'scalar'
    if (Array.isArray(value)) {
      const type = this.learn(path, value)
      return type === undefined ? 'NULL' : LIST + type
    }
    if (Object.keys(value as JsonObject).length === 0) return undefined
    this.#learnItem(path, value)
    return 'object'
  }

  #add(path: string, columns: LegacyColumns): void {
    const known = this.types.get(path)
    if (known === undefined || known.size === 0) {
      this.types.set(path, columns)
      return
    }
    for (const [key, type] of columns) {
      const old = known.get(key)
      if (old !== type) known.set(key, updated(old, type, `${path}.${key}`))
    }
  }

  #itemType(path: string): string | undefined {
    const dot = path.lastIndexOf('.')
    const type =
      dot <= 0
        ? this.types.get(path)?.get('data')
        : this.types.get(path.slice(0, dot))?.get(path.slice(dot + 1))
    return type?.replaceAll(LIST, '')
  }
}

export const isListType = (type: string): boolean => type.startsWith(LIST)

const updated = (old: string | undefined, type: string, path: string): string => {
  if (old === undefined || old === 'NULL') return type
  if (type === 'NULL') return old
  const oldItem = isListType(old) ? old.slice(LIST.length) : undefined
  const newItem = isListType(type) ? type.slice(LIST.length) : undefined
  const fits = oldItem === type || newItem === old || oldItem === 'NULL' || newItem === 'NULL'
  if (!fits) throw incompatible(`Unhandled type change from "${old}" to "${type}" in '${path}'`)
  if (oldItem === undefined) return LIST + old
  if (oldItem !== 'NULL') return old
  return newItem === undefined ? LIST + type : type
}

const incompatible = (message: string): UserError => {
  return new UserError('extractor.tables.incompatibleTypes', `Error parsing response JSON: ${message}`)
}
