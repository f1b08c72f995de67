/** What is read of a JSON schema here. */
export interface JsonSchema {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  const?: unknown
  type?: string | string[]
  enum?: unknown[]
  pattern?: string
  format?: string
  required?: string[]
  description?: string
  default?: unknown
}

interface Place {
  schema: JsonSchema
  root: JsonSchema
  path: string
}

interface KnownKey {
  schema: JsonSchema
  isRequired: boolean
}

/** Each key that a schema knows, by path. Kinds (`method`, `type`) and definitions begin a path of their own. */
export const keysOf = (root: JsonSchema): Map<string, KnownKey> => {
  const keys = new Map<string, KnownKey>()
  const visit = (place: Place): void => {
    for (const { schema, path } of alternatives(place)) {
      for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        const key = `${path}${name}`
        if (keys.has(key)) continue
        keys.set(key, { schema: inner, isRequired: schema.required?.includes(name) ?? false })
        visit({ schema: inner, root, path: `${key}.` })
      }
      for (const inner of contained(schema)) visit({ schema: inner, root, path })
    }
  }
  visit({ schema: root, root, path: '' })
  return keys
}

export const allKeys = (root: JsonSchema): Set<string> => new Set(keysOf(root).keys())

/** Stop rules are the same in every pagination. */
export const withoutMethod = (key: string): string =>
  key.replace(/^\(.*\)\.(nextPageFlag|forceStop|limitStop)/, '(pagination).$1')

/** Those of them that a value gives. */
export const usedKeys = (root: JsonSchema, value: unknown): Set<string> => {
  const keys = new Set<string>()
  const visit = (place: Place, given: unknown): void => {
    if (typeof given !== 'object' || given === null) return
    for (const { schema, path } of alternatives(place)) {
      if (!isOfKind(schema, given)) continue
      for (const [name, inner] of Object.entries(given)) {
        const known = schema.properties?.[name]
        if (known === undefined) {
          for (const other of contained(schema)) visit({ schema: other, root, path }, inner)
        } else if (inner !== null) {
          keys.add(`${path}${name}`)
          visit({ schema: known, root, path: `${path}${name}.` }, inner)
        }
      }
    }
  }
  visit({ schema: root, root, path: '' }, value)
  return keys
}

/** A value with the defaults that the schema says, in each object that is there. */
export const withDefaults = (root: JsonSchema, value: unknown): unknown => {
  const fill = (place: Place, given: unknown): void => {
    if (typeof given !== 'object' || given === null) return
    const all = [...alternatives(place)]
    for (const { schema, path } of all) {
      if (!isOfKind(schema, given) || (all.length > 1 && lacksKey(schema, given))) continue
      for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        if (!Object.hasOwn(given, name) && inner.default !== undefined)
          Reflect.set(given, name, inner.default)
        fill({ schema: inner, root, path }, Reflect.get(given, name))
      }
      for (const inner of contained(schema))
        for (const [name, other] of Object.entries(given))
          if (!Object.hasOwn(schema.properties ?? {}, name)) fill({ schema: inner, root, path }, other)
    }
  }
  const copy = structuredClone(value)
  fill({ schema: root, root, path: '' }, copy)
  return copy
}

function* alternatives({ schema, root, path }: Place): Generator<Place> {
  if (schema.$ref !== undefined) {
    // Only jobs hold what they are themselves
    const name = schema.$ref.replace('#/$defs/', '')
    yield* alternatives({ schema: root.$defs?.[name] ?? {}, root, path: '(job).' })
    return
  }
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (inner.length > 0) {
    for (const one of inner) yield* alternatives({ schema: one, root, path })
    return
  }
  const [kind] = kindsOf(schema)
  // Rules are the same in jobs and for all of them
  const name = isErrorRule(schema) ? 'error rule' : kind?.[1]
  yield { schema, root, path: name === undefined ? path : `(${name}).` }
}

const isErrorRule = ({ properties = {} }: JsonSchema): boolean => 'when' in properties && 'do' in properties

const contained = ({ items, additionalProperties }: JsonSchema): JsonSchema[] =>
  [items, additionalProperties].filter(schema => typeof schema === 'object')

const kindsOf = ({ properties }: JsonSchema): [string, unknown][] =>
  Object.entries(properties ?? {}).flatMap(([name, { const: kind }]) =>
    kind === undefined ? [] : [[name, kind]],
  )

/** Objects without a `method` or `type` differ in the keys that they must have. */
const lacksKey = ({ required = [] }: JsonSchema, given: object): boolean =>
  required.some(name => !Object.hasOwn(given, name))

const isOfKind = (schema: JsonSchema, given: object): boolean =>
  kindsOf(schema).every(([name, kind]) => Reflect.get(given, name) === kind)
