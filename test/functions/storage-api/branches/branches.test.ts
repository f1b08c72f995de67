import { describe, expect, it } from 'vitest'
import { metadataSubject } from '#lib/storage/metadata/metadata-store.ts'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

const call = (method: string, path: string, body?: unknown) =>
  routes.service.call(method, `/v2/storage/${path}`, body)
const branch = async (name: string): Promise<number> => {
  const { body } = await call('POST', 'dev-branches', { name })
  return body.results.id
}

describe('a branch', () => {
  it('is made by a job, with the tables of all', async () => {
    await routes.service.createBucket('shared')
    const { status, body } = await call('POST', 'dev-branches', { name: 'Try', description: 'out' })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      operationName: 'devBranchCreate',
      status: 'success',
      results: { name: 'Try', description: 'out', isDefault: false },
    })
    expect((await call('GET', `branch/${body.results.id}/buckets/in.c-shared`)).status).toBe(200)
  })

  it('is renamed, and deleted with everything in it', async () => {
    const id = await branch('Short')
    const config = `branch/${id}/components/${componentId}/configs`
    await call('POST', config, { configurationId: 'only-here', name: 'a' })
    expect((await call('PUT', `dev-branches/${id}`, { description: 'new' })).body).toMatchObject({
      name: 'Short',
      description: 'new',
    })
    const { status, body } = await call('DELETE', `dev-branches/${id}`)
    expect([status, body.operationName, body.status]).toEqual([202, 'devBranchDelete', 'success'])
    expect((await call('GET', `dev-branches/${id}`)).status).toBe(404)
    expect((await call('GET', config)).status).toBe(404)
    expect(await routes.service.stores.configurations.list(id, componentId)).toEqual([])
  })

  it('is the only one of its name, also when several are made at once', async () => {
    await Promise.all([1, 2, 3, 4].map(() => call('POST', 'dev-branches', { name: 'At once' })))
    await routes.service.jobsEnded()
    const { body: all } = await call('GET', 'dev-branches')
    expect(all.filter(({ name }: { name: string }) => name === 'At once')).toHaveLength(1)
  })

  it('has a name of its own', async () => {
    await branch('Same')
    expect(await call('POST', 'dev-branches', { name: 'Same' })).toMatchObject({
      status: 400,
      body: { code: 'devBranch.duplicateName' },
    })
  })

  it('takes the metadata of its tables along, also of an alias of a table that is not its own', async () => {
    const bucketId = await routes.service.createBucket('aliased')
    const sourceTable = await routes.service.createTable(bucketId, 'source', 'a\n1\n')
    await call('POST', `buckets/${bucketId}/table-aliases`, { sourceTable, name: 'alias' })
    const id = await branch('With alias')
    const alias = `branch/${id}/tables/${bucketId}.alias`
    await call('POST', `${alias}/metadata`, { provider: 'user', metadata: [{ key: 'a', value: '1' }] })
    const { stores } = routes.service
    const [internalId = 0] = await stores.ownTables(id).tables.internalIdsInBucket(bucketId)
    const subject = metadataSubject.table({ internalId })
    expect(await stores.metadata.list(subject)).toHaveLength(1)
    await call('DELETE', `dev-branches/${id}`)
    expect(await stores.metadata.list(subject)).toEqual([])
  })

  it('has metadata of its own', async () => {
    const id = await branch('Metadata')
    await call('POST', `branch/${id}/metadata`, { metadata: [{ key: 'a', value: '1' }] })
    expect((await call('GET', `branch/${id}/metadata`)).body).toMatchObject([{ key: 'a' }])
    expect((await call('GET', 'branch/default/metadata')).body).toEqual([])
  })
})

describe('the default branch', () => {
  it('is described, and never deleted', async () => {
    expect((await call('PUT', 'dev-branches/1', { description: 'Everything' })).body).toMatchObject({
      id: 1,
      isDefault: true,
      description: 'Everything',
    })
    expect((await call('GET', 'dev-branches/')).body.at(-1)).toMatchObject({
      id: 1,
      description: 'Everything',
    })
    const { status, body } = await call('DELETE', 'dev-branches/1')
    expect([status, body.code]).toEqual([400, 'storage.devBranch.cannotDeleteDefault'])
  })
})
