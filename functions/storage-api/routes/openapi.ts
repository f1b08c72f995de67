import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { describeRoute } from '../http/describe-route.ts'
import { routes } from './routes.ts'

const description = [
  'Files, tables, jobs and versioned configurations. Every path exists below `/v2/storage/branch/{branch}/` as well,',
  '`default` or the id of a branch in its place, and with a slash at its end. Bodies are JSON, forms or multipart forms;',
  'names of form and query fields nest as `tags[]` and `whereFilters[0][column]`. A reply of status 202 is a job: poll',
  'its `url` until `status` is `success` or `error`.',
].join(' ')

type Document = ReturnType<OpenApiGeneratorV31['generateDocument']>

let described: Omit<Document, 'servers'> | undefined

/** The OpenAPI 3.1 document of the service at an origin, made from the schemas that read its requests. */
export const openApiDocument = ({ origin, version }: { origin: string; version: string }): Document => {
  described ??= describe()
  return { ...described, info: { ...described.info, version }, servers: [{ url: origin }] }
}

const describe = (): Document => {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'storageToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-StorageApi-Token',
  })
  for (const { definition } of routes) registry.registerPath(describeRoute(definition))
  const tags = [...new Set(routes.map(({ tag }) => tag))].toSorted()
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Millrace storage API',
      version: '',
      description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    tags: tags.map(name => ({ name })),
  })
}
