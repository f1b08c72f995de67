import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { servedEndpoints } from '#functions/storage-api/iceberg/catalog.ts'
import { refusedOperations } from '#functions/storage-api/iceberg/refused-operations.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'
import { createCatalogClient } from './support.ts'

/** The OpenAPI document of the Iceberg REST catalog. It is not part of the repository. */
const file = path.join(import.meta.dirname, '../../../../../shared/spec/iceberg/rest-catalog-open-api.yaml')
const haveSpecification = existsSync(file)
if (!haveSpecification) console.log(`skipped: the specification of the catalog is not at ${file}`)

type Json = Record<string, unknown>

/** OpenAPI 3.0 spells "or null" `nullable`, which JSON Schema does not know. */
const asJsonSchema = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asJsonSchema)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, example: _, discriminator: __, ...rest } = value as Json
  const schema = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, asJsonSchema(inner)]))
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema
}

describe.runIf(haveSpecification)('the specification of the catalog', () => {
  const document = haveSpecification ? parse(readFileSync(file, 'utf8')) : {}
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

  const expectSchema = (name: string, body: unknown) => {
    if (!ajv.getSchema('openapi'))
      ajv.addSchema(asJsonSchema({ components: document.components }) as Json, 'openapi')
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
    if (!validate(body)) throw new Error(`no ${name}: ${ajv.errorsText(validate.errors)}`)
  }

  let service: StorageService
  let catalog: ReturnType<typeof createCatalogClient>
  beforeAll(async () => {
    service = await startStorageService()
    catalog = createCatalogClient(service)
    const bucketId = await service.createBucket('main')
    const tableId = await service.createTable(bucketId, 'orders', 'id,a\n1,x\n2,y\n', { primaryKey: 'id' })
    const dataFileId = await service.upload('id,a\n2,z\n')
    await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, { dataFileId, incremental: 1 })
    await service.call('POST', `/v2/storage/tables/${tableId}/columns`, { name: 'b' })
    await service.call('POST', `/v2/storage/buckets/${bucketId}/table-aliases`, {
      sourceTable: tableId,
      name: 'shown',
    })
  })
  afterAll(() => service?.close())

  it('has no operation that is neither served nor refused by name, and nothing is served beside it', () => {
    const methods = ['get', 'post', 'put', 'head', 'delete', 'patch']
    const specified = Object.entries(document.paths as Record<string, Json>).flatMap(([each, item]) =>
      methods.filter(method => method in item).map(method => `${method.toUpperCase()} ${each}`),
    )
    expect([...servedEndpoints, ...Object.keys(refusedOperations)].toSorted()).toEqual(specified.toSorted())
  })

  it.each([
    ['CatalogConfig', 'config', {}],
    ['ListNamespacesResponse', 'namespaces', {}],
    ['ListNamespacesResponse', 'namespaces?pageToken=', {}],
    ['GetNamespaceResponse', 'namespaces/in_c_main', {}],
    ['ListTablesResponse', 'namespaces/in_c_main/tables', {}],
    ['LoadTableResult', 'namespaces/in_c_main/tables/orders', {}],
    ['LoadTableResult', 'namespaces/in_c_main/tables/orders?snapshots=refs', {}],
    [
      'LoadTableResult',
      'namespaces/in_c_main/tables/orders',
      { 'x-iceberg-access-delegation': 'vended-credentials' },
    ],
    ['LoadCredentialsResponse', 'namespaces/in_c_main/tables/orders/credentials', {}],
  ])('has the schema %s for GET %s', async (schema, target, headers) => {
    const { status, body } = await catalog.get(target, headers as Record<string, string>)
    expect(status).toBe(200)
    expectSchema(schema, body)
  })

  it('has the schema of every error', async () => {
    for (const target of ['namespaces/gone', 'namespaces/in_c_main/tables/gone', 'nothing', 'config?a=b'])
      expectSchema('IcebergErrorResponse', (await catalog.get(target)).body)
    expectSchema('IcebergErrorResponse', (await catalog.send('POST', 'namespaces')).body)
    expectSchema('OAuthError', (await catalog.oauth({})).body)
  })

  it('has the schema of a token', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'x', client_secret: service.token }
    expectSchema('OAuthTokenResponse', (await catalog.oauth(form)).body)
  })

  it('is held to: a reply without a field of it is found', () => {
    expect(() => expectSchema('CatalogConfig', { defaults: {} })).toThrow('overrides')
  })
})
