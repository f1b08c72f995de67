import { describe, expect, it } from 'vitest'
import { withStorage } from '../../support/storage-service.ts'

const service = await withStorage()

const anImage = expect.stringMatching(/^data:image/)
const definition = expect.objectContaining({ type: 'builtin', repository: { region: '' } })
const vendor = { contact: [expect.any(String)], licenseUrl: expect.stringMatching(/^https:/) }

describe('GET /v2/storage', () => {
  it('says what the service is and where the importer and the faces are', async () => {
    const { body } = await service.call('GET', '/v2/storage')
    expect(body).toEqual({
      host: 'storage.test',
      api: 'storage',
      version: 'v2',
      revision: '0.0.0-test',
      stack: 'us-east-1',
      documentation: 'http://storage.test/v2/storage/openapi.json',
      components: expect.arrayContaining([
        expect.objectContaining({
          ...{ id: 'ex-generic-v2', uri: expect.stringContaining('/components/ex-generic-v2') },
          ...{ ico32: anImage, ico64: anImage, documentationUrl: expect.stringMatching(/^https:/) },
          data: expect.objectContaining({ definition, vendor, memory: '1769m' }),
        }),
      ]),
      services: [
        { id: 'import', url: 'http://storage.test' },
        ...['encryption', 'scheduler', 'queue', 'query'].map(id => ({
          id,
          url: `http://storage.test/${id}`,
        })),
      ],
      features: expect.arrayContaining(['global-search']),
      urlTemplates: { orchestrationJob: 'http://storage.test/v2/storage/jobs/<%= jobId %>' },
    })
  })

  it('shows of chosen components only what a list needs', async () => {
    const { body } = await service.call('GET', '/v2/storage?componentDetails=ex-generic-v2,nothing')
    expect(body.components.map((component: object) => Object.keys(component).toSorted())).toEqual([
      ['categories', 'description', 'features', 'flags', 'ico128', 'ico64', 'id', 'name', 'type', 'uri'],
    ])
  })
})

describe('GET openapi.json', () => {
  it('describes every route, from the schemas that read the requests', async () => {
    const { status, body } = await service.call('GET', '/v2/storage/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toBe('3.1.0')
    const prepare = body.paths['/v2/storage/files/prepare'].post
    const { schema } = prepare.requestBody.content['application/json']
    expect(schema.properties.sizeBytes).toMatchObject({ type: 'integer' })
    expect(schema.properties.isSliced).toMatchObject({ type: 'boolean' })
    expect(schema.required).toEqual(['name'])
    expect(Object.keys(body.paths['/v2/storage/tables/{tableId}'])).toEqual(
      expect.arrayContaining(['get', 'delete']),
    )
  })
})

describe('GET tokens/verify', () => {
  it('shows the rights of the token and the project, with the types that clients rely on', async () => {
    await service.createBucket('main')
    const { body, text } = await service.call('GET', '/v2/storage/tokens/verify')
    expect(body).toMatchObject({
      id: '42',
      description: 'Master token',
      isMasterToken: true,
      canManageBuckets: true,
      expires: null,
      isExpired: false,
      isDisabled: false,
      bucketPermissions: { 'in.c-main': 'manage' },
      admin: { id: expect.any(Number) },
      organization: { id: '7' },
      owner: { id: 7, fileStorageProvider: 'aws', defaultBackend: 'snowflake', hasSnowflake: true },
    })
    expect(text).not.toContain(service.token)
  })

  it('shows the same creation time each time', async () => {
    const created = async () => (await service.call('GET', '/v2/storage/tokens/verify')).body.created
    expect(await created()).toBe(await created())
  })

  it('refuses another token', async () => {
    const { status } = await service.call('GET', '/v2/storage/tokens/verify', undefined, {
      'X-StorageApi-Token': '7-42-guess',
    })
    expect(status).toBe(401)
  })
})

describe('GET dev-branches', () => {
  it('lists the default branch, whose id works in paths', async () => {
    const { body } = await service.call('GET', '/v2/storage/dev-branches/')
    expect(body).toMatchObject([{ id: expect.any(Number), isDefault: true, name: 'Main' }])
    expect((await service.call('GET', `/v2/storage/branch/${body[0].id}/buckets`)).status).toBe(200)
  })
})
