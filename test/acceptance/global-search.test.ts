import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

/** Only things of this run have it in their names. */
const word = `w${Date.now().toString(36)}`
let tableId: string
let branch: { id: number; name: string }

const configured: [string, string][] = [
  ['keboola.runner-config-test', 'configuration'],
  ['keboola.orchestrator', 'flow'],
  ['keboola.snowflake-transformation', 'transformation'],
  ['keboola.shared-code', 'shared-code'],
]
const configId = `search-${word}`
const config = 'components/keboola.runner-config-test/configs'

const target = await connectTarget()
const bucketId = await target.createBucket(`search-${word}`)
await target.call('PUT', `buckets/${bucketId}`, { displayName: `shown-${word}` })
const dataFileId = await target.upload('id\n1\n')
beforeAll(async () => {
  const job = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: `t-${word}`, dataFileId })
  tableId = job.results.id
  for (const [component] of configured)
    await target.call('POST', `components/${component}/configs`, {
      configurationId: configId,
      name: `${word} 2 HR`,
    })
  await target.call('POST', `${config}/${configId}/rows`, { rowId: 'r1', name: `row ${word}` })
  branch = (await target.job('POST', 'dev-branches', { name: `search-${word}` })).results
})
afterAll(async () => {
  await target.job('DELETE', `dev-branches/${branch.id}`)
  for (const [component] of [...configured, ...configured])
    await target.call('DELETE', `components/${component}/configs/${configId}`)
})

const search = async (parameters: string, query = word, headers: Record<string, string> = {}) =>
  (await target.call('GET', `global-search?query=${query}&${parameters}`, undefined, headers)).body
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

describe('a global search', () => {
  it('counts what it finds by type and project, over all branches', async () => {
    const { all, byType, byProject } = await search('limit=1')
    expect(all).toBe(12)
    expect(byType).toEqual({
      total: 12,
      bucket: 1,
      table: 1,
      configuration: 2,
      flow: 2,
      transformation: 2,
      'shared-code': 2,
      'configuration-row': 2,
    })
    const { owner } = (await target.call('GET', 'tokens/verify')).body
    expect(byProject).toEqual({ [owner.id]: owner.name })
  })

  it('shows where each is', async () => {
    const { owner } = (await target.call('GET', 'tokens/verify')).body
    const { items } = await search('branchTypes[]=production')
    const found = (type: string) => items.find((item: { type: string }) => item.type === type)
    const place = {
      project: { id: owner.id, name: owner.name },
      branch: { id: expect.any(Number), name: 'Main', isDefault: true, isNative: true },
    }
    const component = { id: 'keboola.runner-config-test', name: expect.any(String) }
    const common = {
      created: expect.stringMatching(/\+0000$/),
      organizationId: expect.any(Number),
      projectId: owner.id,
      projectName: owner.name,
    }
    const name = `${word} 2 HR`
    const ofComponent = { ...common, componentId: component.id }
    expect(found('bucket')).toEqual({
      ...common,
      id: bucketId,
      type: 'bucket',
      name: `shown-${word}`,
      componentId: null,
      fullPath: place,
      uri: expect.stringContaining(`/v2/storage/buckets/${bucketId}`),
    })
    expect(found('table')).toMatchObject({
      id: tableId,
      name: `t-${word}`,
      fullPath: { ...place, bucket: { id: bucketId, name: `shown-${word}` } },
      uri: expect.stringContaining(`/v2/storage/tables/${tableId}`),
    })
    expect(found('configuration')).toEqual({
      ...ofComponent,
      id: configId,
      type: 'configuration',
      name,
      fullPath: { ...place, component },
    })
    expect(found('configuration-row')).toEqual({
      ...ofComponent,
      id: 'r1',
      type: 'configuration-row',
      name: `row ${word}`,
      fullPath: { ...place, component, configuration: { id: configId, name } },
    })
  })

  it('is narrowed by types, branches and projects', async () => {
    expect(idsOf(await search('types[]=table&types[]=bucket')).toSorted()).toEqual(
      [bucketId, tableId].toSorted(),
    )
    const inBranch = await search(`branchIds[]=${branch.id}`)
    expect(inBranch.byType).toEqual({
      total: 5,
      configuration: 1,
      flow: 1,
      transformation: 1,
      'shared-code': 1,
      'configuration-row': 1,
    })
    expect(inBranch.items[0].fullPath.branch).toEqual({
      id: branch.id,
      name: branch.name,
      isDefault: false,
      isNative: true,
    })
    expect((await search('branchTypes[]=development')).all).toBe(5)
    // A bucket of the default branch that a client made for a branch.
    const metadata = [{ key: 'KBC.createdBy.branch.id', value: String(branch.id) }]
    await target.call('POST', `buckets/${bucketId}/metadata`, { provider: 'system', metadata })
    const ofBuckets = 'types[]=table&types[]=bucket&branchTypes[]'
    expect((await search(`${ofBuckets}=development`)).all).toBe(2)
    expect((await search(`${ofBuckets}=production`)).all).toBe(0)
    expect(await search('projectIds[]=1000001')).toEqual({
      all: 0,
      items: [],
      byType: { total: 0 },
      byProject: {},
    })
    expect((await target.call('GET', 'global-search?query=a&types[]=house')).status).toBe(400)
    expect((await target.call('GET', 'global-search')).status).toBe(400)
  })

  it('shows its pages, which have nothing in common and are everything', async () => {
    const pages = [
      await search('limit=5'),
      await search('limit=5&offset=5'),
      await search('limit=5&offset=10'),
    ]
    expect(pages.map(({ items }) => items.length)).toEqual([5, 5, 2])
    const places = pages.flatMap(({ items }) =>
      items.map(
        ({ id, type, fullPath }: { id: string; type: string; fullPath: { branch: { id: number } } }) =>
          [id, type, fullPath.branch.id].join(' '),
      ),
    )
    expect(new Set(places).size).toBe(12)
  })

  it('finds by words in any order and letter case, exact names first, and by a whole id', async () => {
    const types = 'types[]=configuration&branchTypes[]=production'
    expect(idsOf(await search(types, `hr ${word.toUpperCase()}`))).toEqual([configId])
    expect(idsOf(await search(types, configId))).toEqual([configId])
    expect(idsOf(await search(types, `${word} nothing`))).toEqual([])
    const exact = await search('branchTypes[]=production', `row ${word}`)
    expect(exact.items[0]).toMatchObject({ id: 'r1' })
    expect(idsOf(await search('', `search-${word}`))).not.toContain(bucketId)
  })

  it('finds nothing that is in the trash, or that the token may not read', async () => {
    const { body: token } = await target.call('POST', 'tokens', {
      bucketPermissions: { [bucketId]: 'read' },
      componentAccess: ['keboola.orchestrator'],
    })
    const limited = await search('', word, { 'X-StorageApi-Token': token.token })
    expect(limited.byType).toEqual({ total: 4, bucket: 1, table: 1, flow: 2 })
    await target.call('DELETE', `tokens/${token.id}`)

    const flow = `components/keboola.orchestrator/configs/${configId}`
    await target.call('DELETE', flow)
    expect((await search('types[]=flow&branchTypes[]=production')).all).toBe(0)
    await target.call('POST', `${flow}/restore`)
    expect((await search('types[]=flow&branchTypes[]=production')).all).toBe(1)
  })
})
