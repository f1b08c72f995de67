import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const component = 'keboola.runner-config-test'

const target = await connectTarget()
const bucketId = await target.createBucket('parameters')

const run = Date.now().toString(36)
const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const multipart = (fields: Record<string, string>) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return body
}

describe('a parameter that nobody reads', () => {
  it.each([
    ['query', 'GET', 'buckets?filter=a', undefined],
    ['nested query', 'GET', 'files?tag[0]=a', undefined],
    ['JSON body', 'POST', 'buckets', { name: 'a', filter: 1 }],
    ['form', 'POST', 'buckets', form({ name: 'a', filter: '1' })],
    ['multipart form', 'POST', 'buckets', multipart({ name: 'a', filter: '1' })],
  ])('is refused by name in a %s', async (_where, method, path, body) => {
    const { status, body: reply } = await target.call(method, path, body)
    const key = path.includes('tag') ? 'tag' : 'filter'
    expect([status, reply.errors]).toEqual([400, [{ key, message: 'This field was not expected.' }]])
    expect(reply.error).toContain(`${key}: "This field was not expected."`)
  })

  it('is refused in the form of an upload too', async () => {
    const body = multipart({ name: 't', dataString: 'id\n1\n', compression: 'zip' })
    const { status, body: reply } = await target.call('POST', `buckets/${bucketId}/tables`, body)
    expect([status, reply.errors?.[0].key]).toEqual([400, 'compression'])
  })

  it('is passed over when clients send it and it changes nothing', async () => {
    const dataFileId = await target.upload('id\n1\n')
    const { status } = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      bucketId,
      name: 'php',
      dataFileId,
      transactional: false,
      syntheticPrimaryKeyEnabled: false,
      distributionKey: null,
      columns: null,
      primaryKey: null,
      delimiter: ',',
      enclosure: '"',
      escapedBy: '',
    })
    expect(status).toBe('success')
  })
})

describe('a documented parameter', () => {
  it('idComponent of the search for configurations leaves the others out', async () => {
    const search = 'branch/default/search/component-configurations'
    const key = `key-${run}`
    const used = [component, 'keboola.variables']
    for (const each of used) {
      const configs = `components/${each}/configs`
      await target.call('POST', configs, { configurationId: key, name: 'a' })
      await target.call('POST', `${configs}/${key}/metadata`, { metadata: [{ key, value: 'v' }] })
    }
    const found = async (query: string) =>
      (await target.call('GET', `${search}?metadataKeys[]=${key}${query}`)).body.map(
        ({ idComponent }: { idComponent: string }) => idComponent,
      )
    expect((await found('')).toSorted()).toEqual([...used].toSorted())
    for (const each of used) expect(await found(`&idComponent=${each}`)).toEqual([each])
    expect(await found('&idComponent=ex-generic-v2')).toEqual([])
    for (const each of [...used, ...used]) await target.call('DELETE', `components/${each}/configs/${key}`)
  })

  it('start_time_from and start_time_to bound the list of jobs', async () => {
    const dataFileId = await target.upload('id\n1\n')
    const job = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: `t${run}`, dataFileId })
    const listed = async (query: string) =>
      (await target.call('GET', `jobs?limit=1000&${query}`)).body.some(
        ({ id }: { id: number }) => id === job.id,
      )
    const at = job.startTime.slice(0, 19).replace('T', '%20')
    expect(await listed(`start_time_from=${at}`)).toBe(true)
    expect(await listed('start_time_from=2099-01-01')).toBe(false)
    expect(await listed('start_time_to=2020-01-01%2000:00:00')).toBe(false)
    expect(await listed('start_time_to=2099-01-01T00:00:00Z')).toBe(true)
    expect((await target.call('GET', 'jobs?start_time_from=soon')).status).toBe(400)
  })

  it.each([
    ['notify', 'files/prepare', { name: 'a', notify: 1 }, 400],
    ['backend', 'buckets', { name: 'a', backend: 'redshift' }, 400],
    ['canCreateJobs', 'tokens', { canCreateJobs: false }, 400],
    ['canManageProtectedDefaultBranch', 'tokens', { canManageProtectedDefaultBranch: true }, 400],
    ['dataWorkspaceId', 'tables-async', { name: 'a', dataWorkspaceId: 1, dataObject: 'b' }, 501],
  ])(
    '%s is refused with the reason where it asks for what is not offered',
    async (name, path, body, expected) => {
      const at = path === 'tables-async' ? `buckets/${bucketId}/${path}` : path
      const { status, body: reply } = await target.call('POST', at, body)
      expect([status, reply.error]).toEqual([expected, expect.stringContaining(name)])
    },
  )

  it('is no obstacle where it asks for what is so anyway', async () => {
    const plain = { notify: false, federationToken: true, name: 'a' }
    expect((await target.call('POST', 'files/prepare', plain)).status).toBe(201)
    const { status, body } = await target.call('POST', 'tokens', {
      canCreateJobs: true,
      canManageProtectedDefaultBranch: false,
    })
    expect(status).toBe(201)
    await target.call('DELETE', `tokens/${body.id}`)
  })
})
