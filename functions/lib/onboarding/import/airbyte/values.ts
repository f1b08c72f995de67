import type { Expression } from '#lib/extractor/values/functions/expression/expression-tree.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Attributes } from '../attributes.ts'
import { printExpression } from '../print-expression.ts'
import type { Report } from '../report.ts'
import { keyOf, literalOf, member, type Resolve, translate, written } from '../translate.ts'

export type PartitionField = { value: Json } | { window: 'start' | 'end' } | { made: Expression }

/** What texts of a stream may refer to. */
export interface Scope {
  attributes: Attributes
  report: Report
  /** Fields of the partition: a value that is known, an end of a window of time, or what is made of a parent row. */
  partition: ReadonlyMap<string, PartitionField>
  /** Further names, such as `record`, and what they are called here. */
  names?: Readonly<Record<string, string>>
}

const partitionRoots = ['stream_partition', 'stream_slice', 'stream_interval']

const resolveIn =
  ({ attributes, partition, names = {} }: Scope): Resolve =>
  (root, keys, hasDefault) => {
    if (root === 'config') return keys.length === 0 ? undefined : attributes.setting(keys, hasDefault)
    const name = Object.hasOwn(names, root) ? names[root] : undefined
    if (name !== undefined) return member(name, keys)
    if (!partitionRoots.includes(root)) return undefined
    // Asked for whether there is one
    if (keys.length === 0 && partition.size > 0) return { kind: 'value', value: true }
    const above = keys.findIndex(key => key !== 'parent_slice')
    const own =
      above > 0 ? [`${'parent_slice.'.repeat(above)}${keys[above]}`, ...keys.slice(above + 1)] : keys
    const [first = '', ...others] = own[0] === 'extra_fields' || own[0] === 'partition' ? own.slice(1) : own
    const field = partition.get(first)
    if (field === undefined) return undefined
    if ('value' in field) return others.length === 0 ? { kind: 'value', value: field.value } : undefined
    if ('window' in field) return member('window', [field.window])
    return within(field.made, others)
  }

/** What is at the keys of an expression: of an object that it spells out, the member itself. */
const within = (of: Expression, keys: readonly string[]): Expression => {
  const [first, ...others] = keys
  if (first === undefined) return of
  if (of.kind === 'object') {
    const found = of.members.find(([key]) => key.kind === 'value' && String(key.value) === first)
    return found === undefined ? { kind: 'value', value: null } : within(found[1], others)
  }
  return within({ kind: 'member', of, key: keyOf(first) }, others)
}

/** A text as an expression of ours with what it is made of; nothing, and reported, when there is none. */
export const readText = (
  value: string,
  path: string,
  scope: Scope,
  level?: Parameters<Report['lost']>[2],
): Expression | undefined => {
  const read = translate(value, resolveIn(scope))
  if ('expression' in read) return read.expression
  scope.report.lost(path, `the expression ${value} has no counterpart: ${read.why}`, level)
  return undefined
}

const isTemplate = (value: string): boolean => /\{\{|\{%/.test(value)

/** A value as ours; `undefined`, and reported, when there is no counterpart; null for what a template leaves empty. */
export const expressionOf = (
  value: Json,
  path: string,
  scope: Scope,
  level?: Parameters<Report['lost']>[2],
): Json | undefined => {
  if (typeof value !== 'string' || !isTemplate(value)) return value
  const expression = readText(value, path, scope, level)
  if (expression === undefined) return undefined
  if (expression.kind !== 'value') return written(expression)
  return expression.value === '' ? null : literalOf(expression.value)
}

/** All texts of an object or list. A key whose value has no counterpart is left out, and so is one that is empty. */
export const expressionsOf = (fields: Json, path: string, scope: Scope): JsonObject => {
  const whole = typeof fields === 'string' ? expressionOf(fields, path, scope) : fields
  if (!isObject(whole) || 'expr' in whole) {
    if (whole !== null && whole !== undefined && whole !== '')
      scope.report.lost(path, `it is no object but ${JSON.stringify(whole)}`, 'asks')
    return {}
  }
  const deep = (value: Json, at: string): Json | undefined => {
    if (Array.isArray(value))
      return value.map((item, index) => deep(item, `${at}.${index}`)).filter(item => item !== undefined)
    return isObject(value) ? expressionsOf(value, at, scope) : expressionOf(value, at, scope)
  }
  return Object.fromEntries(
    Object.entries(whole)
      .map(([name, value]): [Json | undefined, Json | undefined] => [
        expressionOf(name, `${path}.${name}`, scope),
        deep(value, `${path}.${name}`),
      ])
      .filter(([name, value]) => typeof name === 'string' && value !== undefined && value !== null)
      .map(([name, value]): [string, Json] => [String(name), value ?? null]),
  )
}

/** A part of an address: partitions of a parent row are placeholders, settings have to be known. */
const endpointOf = (
  value: string,
  path: string,
  scope: Scope,
): { endpoint: string; placeholders: JsonObject } | undefined => {
  const expression = readText(value, path, scope, 'rows')
  if (expression === undefined) return undefined
  const placeholders: JsonObject = {}
  const text = (part: Expression): string | undefined => {
    if (part.kind === 'value') return part.value === null ? '' : String(part.value)
    if (part.kind === 'binary' && part.operator === '~') {
      const [left, right] = [text(part.left), text(part.right)]
      return left === undefined || right === undefined ? undefined : left + right
    }
    const given = written(part)
    if (isObject(given) && 'attr' in given) return secretIn(String(given['attr']), path, scope)
    if (isObject(given) && 'window' in given) return `{window.${String(given['window'])}}`
    const [root = ''] = isObject(given) ? Object.keys(given) : []
    const level = levelOf(root)
    if (isObject(given) && level !== undefined) {
      const at = String(given[root])
      const name = `${level > 1 ? `${level}:` : ''}${placeholderName(at)}`
      placeholders[name] = at
      return `{${name}}`
    }
    // A function of one value of the parent row
    const found = new Set<string>()
    const renamed = inPlaceholder(part, found)
    const [only] = found
    if (found.size !== 1 || only === undefined || renamed === undefined) return undefined
    const name = `${placeholderName(only)}_${Object.keys(placeholders).length}`
    placeholders[name] = { path: only, expr: printExpression(renamed) }
    return `{${name}}`
  }
  const endpoint = text(expression)
  if (endpoint !== undefined)
    return { endpoint: endpoint.replace(/^\/+/, '').replace(/([^:/])\/{2,}/g, '$1/'), placeholders }
  const asked = /config(?:\.get\(|\[)?['".]+(\w+)/.exec(value)?.[1]
  scope.report.lost(
    path,
    asked === undefined
      ? `the address ${value} has no counterpart: the stream is left out`
      : `the address needs the value of "${asked}": give it with --settings`,
    'rows',
  )
  return undefined
}

/** What an address cannot leave out is in it as it is. As an attribute it stays a secret, which logs do not show. */
const secretIn = (attribute: string, path: string, { attributes, report }: Scope): string | undefined => {
  const value = attributes.values[attribute]
  if (value === undefined || value === '' || typeof value === 'object') return undefined
  report.lost(path, `the secret "${attribute}" is part of the address, and the address is no secret`, 'none')
  return String(value)
}

/** `parent`, `parent2` … */
const levelOf = (root: string): number | undefined => {
  const [, level] = /^parent(\d*)$/.exec(root) ?? []
  return level === undefined ? undefined : Number(level || 1)
}

export const placeholderName = (path: string): string => path.replace(/\W+/g, '_')

const inPlaceholder = (part: Expression, found: Set<string>): Expression | undefined => {
  const given = written(part)
  if (isObject(given) && 'parent' in given) {
    found.add(String(given['parent']))
    return member('placeholder', ['value'])
  }
  if (part.kind === 'name') return undefined
  if (part.kind === 'call') {
    const args = part.args.map(arg => inPlaceholder(arg, found))
    return args.includes(undefined) ? undefined : { ...part, args: args.filter(arg => arg !== undefined) }
  }
  if (part.kind === 'binary') {
    const [left, right] = [inPlaceholder(part.left, found), inPlaceholder(part.right, found)]
    return left === undefined || right === undefined ? undefined : { ...part, left, right }
  }
  return part.kind === 'value' ? part : undefined
}

/** The endpoint, whole where the stream has a base address of its own. */
export const addressOf = (requester: JsonObject, path: string, baseUrl: Json, scope: Scope) => {
  const base = String(requester['url_base'] ?? requester['url'] ?? '')
  const given = String(requester['path'] ?? '')
  const own = expressionOf(base, `${path}.url_base`, scope, 'rows')
  if (own === undefined) return undefined
  // A path of nothing but a slash keeps that of the base address
  const isSlash = given === '/' && base.endsWith('/')
  if (JSON.stringify(own) === JSON.stringify(baseUrl) && !base.includes('?')) {
    const found = endpointOf(given, `${path}.path`, scope)
    if (found === undefined || found.endpoint !== '') return found
    // The base address itself, and that has no slash at its end
    return {
      ...found,
      endpoint: typeof own === 'string' ? `${own.replace(/\/+$/, '')}${isSlash ? '/' : ''}` : './',
    }
  }
  const [before = '', query] = base.split('?')
  const address = `${before.replace(/\/+$/, '')}${given === '' ? '' : '/'}${given.replace(/^\/+/, '')}`
  return endpointOf(query === undefined ? address : `${address}?${query}`, `${path}.url_base`, scope)
}
