import { z } from 'zod'
import { described } from '../../lib/wire/fields.ts'
import { type DescribedRoute, replySchema } from '../http/route.ts'
import { routes } from './routes.ts'

const description = [
  'Files, tables, jobs and versioned configurations. Every path exists below `/v2/storage/branch/{branch}/` as well,',
  '`default` or the id of a branch in its place, and with a slash at its end. Bodies are JSON, forms or multipart forms;',
  'names of form and query fields nest as `tags[]` and `whereFilters[0][column]`. A reply of status 202 is a job: poll',
  'its `url` until `status` is `success` or `error`.',
].join(' ')

type JsonSchema = z.core.JSONSchema.BaseSchema

let made: ReturnType<typeof describe> | undefined

/** The OpenAPI 3.1 document of the service at an origin, made from the schemas that read its requests. */
export const openApiDocument = ({ origin, version }: { origin: string; version: string }) => {
  made ??= describe()
  return { ...made, info: { ...made.info, version }, servers: [{ url: origin }] }
}

const describe = () => {
  const schemas: Record<string, z.core.$ZodType> = {}
  const take = (schema: z.core.$ZodType): string => {
    const name = String(Object.keys(schemas).length)
    schemas[name] = schema
    return name
  }
  const operations = routes.map(({ definition }) => ({ definition, ...schemasOf(definition, take) }))
  const { properties = {}, $defs = {} } = jsonSchemas(schemas)
  const described = operations.map(({ definition, query, body, replies }) => {
    const operation = operationOf(definition, {
      query: query === undefined ? {} : (properties[query] as JsonSchema), // an object, by its type
      body: body && properties[body],
      replies: Object.fromEntries(
        Object.entries(replies).map(([status, name]) => [status, properties[name] ?? {}]),
      ),
    })
    return { path: definition.path, method: definition.method, operation }
  })
  const paths = Object.groupBy(described, ({ path }) => path)
  const tags = [...new Set(routes.map(({ tag }) => tag))].toSorted()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace storage API',
      version: '',
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    tags: tags.map(name => ({ name })),
    components: {
      schemas: $defs,
      securitySchemes: { storageToken: { type: 'apiKey', in: 'header', name: 'X-StorageApi-Token' } },
    },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, all = []]) => [
        path,
        Object.fromEntries(all.map(({ method, operation }) => [method, operation])),
      ]),
    ),
  }
}

const repliesOf = ({ isPublic, replies }: DescribedRoute): Record<string, string> => ({
  400: 'The request is not valid',
  ...(!isPublic && { 401: 'No token, or an invalid one' }),
  ...replies,
})

/** Names of the schemas of a route. */
const schemasOf = (definition: DescribedRoute, take: (schema: z.core.$ZodType) => string) => {
  const { query, body, streamedBody, replyType, reply } = definition
  const given = body ?? streamedBody
  const replies = Object.keys(repliesOf(definition)).map(status => {
    const isText = replyType !== undefined && Number(status) < 400
    return [status, take((isText ? reply : replySchema(definition, Number(status))) ?? z.unknown())] as const
  })
  return {
    query: query && take(query),
    body: given && take(given),
    replies: Object.fromEntries(replies),
  }
}

/** As JSON schema, with those that have names as components of the document. */
const jsonSchemas = (schemas: Record<string, z.core.$ZodType>): JsonSchema => {
  // What is said of them stands in two registries: of schemas of the wire, and of all others.
  const get = (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...described.get(schema) })
  const metadata = { get } as typeof z.globalRegistry // nothing else is asked for
  const made = z.toJSONSchema(z.object(schemas), { metadata, io: 'input', unrepresentable: 'any' })
  for (const named of Object.values(made.$defs ?? {})) delete named['id']
  return JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

interface Described {
  query: JsonSchema
  body: unknown
  replies: Readonly<Record<string, unknown>>
}

const operationOf = (definition: DescribedRoute, { query, body, replies }: Described) => {
  const { method, path, summary, tag, isPublic, streamedBody, replyType } = definition
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(query.required?.includes(name) && { required: true }),
    schema,
  }))
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data']
  const types = streamedBody ? ['multipart/form-data'] : ['application/json', ...forms]
  return {
    operationId: operationIdOf(method, path),
    summary,
    tags: [tag],
    security: isPublic ? [] : [{ storageToken: [] }],
    parameters: [...inPath, ...inQuery],
    ...(body !== undefined && {
      requestBody: { content: Object.fromEntries(types.map(type => [type, { schema: body }])) },
    }),
    responses: Object.fromEntries(
      Object.entries(repliesOf(definition)).map(([status, description]) => {
        const type = replyType !== undefined && status < '400' ? replyType : 'application/json'
        const content = { [type]: { schema: replies[status] } }
        return [status, { description, ...(status !== '204' && { content }) }]
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
