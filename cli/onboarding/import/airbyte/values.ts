import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import type { Attributes } from '../attributes.ts'
import type { Report } from '../report.ts'
import { readTemplate } from '../template.ts'

export type PartitionField = { parent: string } | { value: Json } | { window: 'start' | 'end' }

/** What texts of a stream may refer to. */
export interface Scope {
  attributes: Attributes
  report: Report
  /** Fields of the partition: a path in the parent row, a value that is known, or an end of a window of time. */
  partition: ReadonlyMap<string, PartitionField>
  /** Where a field of the row can be read. */
  hasRow?: boolean
}

const roots = { config: ['config'], partition: ['stream_partition', 'stream_slice', 'stream_interval'] }

/** A text as an expression of ours, `undefined` and reported when there is none. */
export const expressionOf = (value: Json, path: string, scope: Scope): Json | undefined => {
  if (typeof value !== 'string') return value
  const parts = readTemplate(value)
  const read = parts?.map(part => ('text' in part ? part.text : reference(part, scope)))
  if (read === undefined || read.includes(undefined)) {
    scope.report.lost(path, `the expression ${value} has no counterpart`)
    return undefined
  }
  const values = read.filter(each => each !== undefined)
  if (values.every(each => typeof each === 'string')) return values.join('')
  return values.length === 1 ? values[0] : { function: 'concat', args: values }
}

const reference = (
  { root, keys }: { root: string; keys: string[] },
  { attributes, partition, hasRow }: Scope,
): Json | undefined => {
  if (roots.config.includes(root)) return attributes.known(keys.join('.')) ?? attributes.read(keys.join('.'))
  if (root === 'record' && hasRow === true)
    return keys.length > 0 && keys.every(key => /^[^\d.[\]-][^.[\]]*$/.test(key))
      ? { row: keys.join('.') }
      : undefined
  if (!roots.partition.includes(root)) return undefined
  const field = partition.get(keys.join('.'))
  if (field === undefined) return undefined
  return 'value' in field ? field.value : { ...field }
}

/** All texts of an object or list. A key whose value has no counterpart is left out. */
export const expressionsOf = (fields: Json, path: string, scope: Scope): JsonObject => {
  if (!isObject(fields)) {
    scope.report.lost(path, 'it is a text of Jinja as a whole')
    return {}
  }
  const deep = (value: Json, at: string): Json | undefined => {
    if (Array.isArray(value))
      return value.map((item, index) => deep(item, `${at}.${index}`)).filter(item => item !== undefined)
    return isObject(value) ? expressionsOf(value, at, scope) : expressionOf(value, at, scope)
  }
  return Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]): [string, Json | undefined] => [name, deep(value, `${path}.${name}`)])
      .filter((pair): pair is [string, Json] => pair[1] !== undefined),
  )
}

/** A part of an address: partitions of a parent row are placeholders, settings have to be known. */
export const endpointOf = (
  value: string,
  path: string,
  scope: Scope,
): { endpoint: string; placeholders: Record<string, string> } | undefined => {
  const placeholders: Record<string, string> = {}
  const parts = readTemplate(value)?.map(part => {
    if ('text' in part) return part.text
    const field = part.keys.join('.')
    if (roots.config.includes(part.root)) return scope.attributes.known(field)
    const found = roots.partition.includes(part.root) ? scope.partition.get(field) : undefined
    if (found === undefined) return undefined
    if ('window' in found) return `{window.${found.window}}`
    if ('value' in found) return encodeURIComponent(String(found.value))
    const name = field.replace(/\W+/g, '_')
    placeholders[name] = found.parent
    return `{${name}}`
  })
  if (parts !== undefined && !parts.includes(undefined))
    return { endpoint: parts.join('').replace(/^\/+/, ''), placeholders }
  const asked = /config(\[['"]|\.)(\w+)/.exec(value)?.[2]
  scope.report.lost(
    path,
    asked === undefined
      ? `the address ${value} has no counterpart`
      : `the address needs the value of "${asked}": give it with --settings`,
  )
  return undefined
}
