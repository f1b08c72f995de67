import { type RouteConfig, zodToOpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { z } from '@hono/zod-openapi'
import { described } from '../../lib/wire/fields.ts'
import { type DescribedRoute, replySchema } from './route.ts'

/** A route in the OpenAPI document, made from the schemas that read its requests. */
export const describeRoute = ({
  method,
  path,
  summary,
  tag,
  isPublic,
  query,
  body,
  streamedBody,
  ...definition
}: DescribedRoute): RouteConfig => {
  const contentOf = (status: string) => {
    if (status === '204') return undefined
    const isText = definition.replyType !== undefined && Number(status) < 400
    const schema = isText ? definition.reply : replySchema(definition, Number(status))
    return {
      [isText ? (definition.replyType ?? '') : 'application/json']: {
        schema: schema ? documented(schema) : z.unknown(),
      },
    }
  }
  const failures = {
    400: 'The request is not valid',
    ...(!isPublic && { 401: 'No token, or an invalid one' }),
  }

  return {
    method,
    path,
    operationId: operationIdOf(method, path),
    summary,
    tags: [tag],
    security: isPublic ? [] : [{ storageToken: [] }],
    request: {
      params: z.object(
        Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()])),
      ),
      ...(query instanceof z.ZodObject && { query }),
      ...(streamedBody && { body: { content: { 'multipart/form-data': { schema: streamedBody } } } }),
      ...(body && {
        body: {
          content: {
            'application/json': { schema: body },
            ...(method === 'patch' && { 'application/merge-patch+json': { schema: body } }),
            'application/x-www-form-urlencoded': { schema: body },
            'multipart/form-data': { schema: body },
          },
        },
      }),
    },
    responses: Object.fromEntries(
      Object.entries({ ...failures, ...definition.replies }).map(([status, description]) => {
        const content = contentOf(status)
        return [status, { description, ...(content && { content }) }]
      }),
    ),
  }
}

/** `get /v2/storage/buckets/{bucketId}` -> `getBucketsByBucketId`: the operation's name in generated clients. */
const operationIdOf = (method: string, path: string): string =>
  method +
  path
    .replace('/v2/storage', '')
    .split('/')
    .filter(Boolean)
    .map(part => part.replace(/^\{(.*)\}$/, 'by-$1'))
    .flatMap(part => part.split('-'))
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

type Schema = z.core.$ZodType
type Definition = z.core.$ZodTypeDef & Record<string, unknown>

const made = new WeakMap<Schema, z.ZodType>()

/**
 * A schema of the wire as the maker of the OpenAPI document reads it. Those of `zod/mini`, which keep small bundles small, lack
 * the methods that it calls; names and examples are in their registry.
 */
const documented = (schema: Schema): z.ZodType => {
  const known = made.get(schema)
  if (known) return known
  const { name, extends: parent, ...facts } = described.get(schema) ?? {}
  const plain = parent === undefined ? rebuilt(schema) : extended(parent as Schema, schema) // what a schema extends is one
  const result =
    name === undefined
      ? Object.keys(facts).length > 0
        ? plain.openapi(facts)
        : plain
      : plain.openapi(name, facts)
  made.set(schema, result)
  return result
}

const classes: Readonly<Record<string, new (definition: never) => z.ZodType>> = {
  array: z.ZodArray,
  boolean: z.ZodBoolean,
  default: z.ZodDefault,
  enum: z.ZodEnum,
  literal: z.ZodLiteral,
  null: z.ZodNull,
  nullable: z.ZodNullable,
  number: z.ZodNumber,
  object: z.ZodObject,
  optional: z.ZodOptional,
  record: z.ZodRecord,
  string: z.ZodString,
  union: z.ZodUnion,
  unknown: z.ZodUnknown,
  never: z.ZodNever,
}

const rebuilt = (schema: Schema): z.ZodType => {
  const definition = schema._zod.def as Definition // each kind has fields of its own
  const inside = Object.entries(definition).map(([key, value]) => [key, inWire(value)] as const)
  const isWhole = inside.every(([key, value]) => value === definition[key])
  if (isWhole && schema instanceof z.ZodType) return schema
  const Class =
    'format' in definition && definition.type === 'number' ? z.ZodNumberFormat : classes[definition.type]
  if (Class === undefined) throw new Error(`The document has no form for ${definition.type}`)
  const result = new Class(Object.fromEntries(inside) as never) // the definition of this very kind
  const facts = zodToOpenAPIRegistry.get(schema as z.ZodType) // any schema may be looked up
  if (facts !== undefined) zodToOpenAPIRegistry.add(result, facts)
  return result
}

/** Schemas in a definition: one, a list of options, or the fields of an object. */
const inWire = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (isSchema(value)) return documented(value)
  if (Array.isArray(value)) return value.some(isSchema) ? changed(value, value.map(inWire)) : value
  const entries = Object.entries(value)
  return entries.length > 0 && entries.every(([, each]) => isSchema(each))
    ? changed(value, Object.fromEntries(entries.map(([key, each]) => [key, inWire(each)])))
    : value
}

const changed = <Part extends object>(before: Part, after: Part): Part =>
  Object.entries(after).every(([key, value]) => value === before[key as keyof Part]) ? before : after

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && '_zod' in value && 'def' in value

const fieldsOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema as z.core.$ZodObject)._zod.def.shape // only objects are extended

/** With the name of the parent in the document, in place of its fields. */
const extended = (parent: Schema, schema: Schema): z.ZodType => {
  const inherited = fieldsOf(parent)
  const own = Object.entries(fieldsOf(schema)).filter(([name, field]) => inherited[name] !== field)
  return (documented(parent) as z.ZodObject).extend(
    // only objects are extended
    Object.fromEntries(own.map(([name, field]) => [name, documented(field)])),
  )
}
