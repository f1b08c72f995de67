import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

const DAY_MS = 86_400_000
/** Reading begins so many days ago, so that there are few windows of time. */
const DAYS = 20

export const firstDay = (): string => new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10)

/** Settings as a person would give them: what is required, and what has a default. Addresses lead to `origin`. */
export const settingsOf = (manifest: JsonObject, origin: string): JsonObject => {
  const spec = isObject(manifest['spec']) ? manifest['spec'] : {}
  const schema = spec['connection_specification'] ?? spec['connectionSpecification']
  const addresses = new Set(
    [...JSON.stringify(manifest).matchAll(/"url(?:_base)?":"\{\{ *config[^}]*?\b(\w+)['" \]}\\|]/g)].map(
      ([, name = '']) => name,
    ),
  )
  const given = isObject(schema) ? objectOf(schema, addresses, origin) : {}
  if (isObject(schema)) return given
  // A manifest of a Python connector has its specification elsewhere: all that is asked for is a text
  for (const [, name = ''] of JSON.stringify(manifest).matchAll(
    /config(?:\.get\(\\?['"]|\[\\?['"]|\.)(\w+)/g,
  ))
    given[name] ??= textOf(name, {}, addresses, origin)
  delete given['get']
  return given
}

const objectOf = (schema: JsonObject, addresses: ReadonlySet<string>, origin: string): JsonObject => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = [schema['required'] ?? []].flat()
  const own = Object.entries(properties)
    .filter(
      ([name, value]) =>
        isObject(value) &&
        (required.includes(name) ||
          value['default'] !== undefined ||
          value['const'] !== undefined ||
          value['oneOf'] !== undefined ||
          /start_?date/.test(name)),
    )
    .map(([name, value]): [string, Json] => [
      name,
      settingOf(name, value as JsonObject, addresses, origin), // filtered
    ])
  const variants = [schema['oneOf'] ?? schema['anyOf'] ?? []].flat().filter(isObject)
  const [first] = variants
  return { ...(first === undefined ? {} : objectOf(first, addresses, origin)), ...Object.fromEntries(own) }
}

const settingOf = (
  name: string,
  schema: JsonObject,
  addresses: ReadonlySet<string>,
  origin: string,
): Json => {
  if (schema['const'] !== undefined) return schema['const']
  const [type] = [schema['type'] ?? 'string'].flat()
  const [example] = [schema['enum'] ?? schema['examples'] ?? []].flat()
  if (type === 'object' || schema['oneOf'] !== undefined) return objectOf(schema, addresses, origin)
  if (type === 'array')
    return schema['default'] ?? (Array.isArray(schema['examples']) ? [example ?? 'a'] : ['a', 'b'])
  if (type === 'boolean') return schema['default'] ?? false
  if (type === 'integer' || type === 'number')
    return schema['default'] ?? (typeof example === 'number' ? example : Number(schema['minimum'] ?? 3))
  return textOf(name, schema, addresses, origin)
}

const textOf = (name: string, schema: JsonObject, addresses: ReadonlySet<string>, origin: string): Json => {
  if (addresses.has(name)) return `${origin}/${name}`
  const [example] = [schema['default'] ?? schema['enum'] ?? schema['examples'] ?? []].flat()
  const pattern = String(schema['pattern'] ?? '')
  const isTime = schema['format'] === 'date-time' || /T/.test(pattern) || /\dT\d/.test(String(example))
  const isDay =
    schema['format'] === 'date' || /^\d{4}-\d\d-\d\d$/.test(String(example)) || /\d\}-/.test(pattern)
  const day = /end|until|to_?date/i.test(name)
    ? new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
    : firstDay()
  if (isTime) return `${day}T00:00:00Z`
  if (isDay) return day
  if (example === undefined && /(start|end|since|from)_?(date|time)/i.test(name)) return `${day}T00:00:00Z`
  return (
    schema['default'] ?? (schema['enum'] === undefined ? `${name.replace(/\W/g, '')}-x` : (example ?? ''))
  )
}
