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

const IGNORED = 'x-millrace-ignored-parameters'

describe('a parameter that nobody reads', () => {
  it.each([
    ['query', 'GET', 'buckets?filter=a', undefined],
    ['nested query', 'GET', 'files?vorige[0]=a', undefined],
    ['JSON body', 'POST', 'buckets', { name: `j${run}`, filter: 1 }],
    ['form', 'POST', 'buckets', form({ name: `f${run}`, filter: '1' })],
    ['multipart form', 'POST', 'buckets', multipart({ name: `m${run}`, filter: '1' })],
  ])('is passed over and named in a header of the reply to a %s', async (_where, method, path, body) => {
    const { status, headers, body: reply } = await target.call(method, path, body)
    expect([status, headers.get(IGNORED)]).toEqual([
      method === 'POST' ? 201 : 200,
      path.includes('vorige') ? 'vorige' : 'filter',
    ])
    if (method === 'POST') await target.call('DELETE', `buckets/${reply.id}`)
  })

  it('is passed over in the form of an upload too', async () => {
    const body = multipart({ name: 'zip', dataString: 'id\n1\n', compression: 'zip' })
    const { status, headers } = await target.call('POST', `buckets/${bucketId}/tables`, body)
    expect([status, headers.get(IGNORED)]).toEqual([201, 'compression'])
  })

  it.each([
    ['query', 'GET', 'events?limt=1', undefined, 'limt', 'limit'],
    ['body', 'POST', 'buckets', { name: 'a', displayname: 'b' }, 'displayname', 'displayName'],
  ])(
    'is refused in a %s when it looks like one that is read',
    async (_where, method, path, body, key, meant) => {
      const { status, body: reply } = await target.call(method, path, body)
      const message = `This field was not expected (did you mean "${meant}"?).`
      expect([status, reply.errors]).toEqual([400, [{ key, message }]])
      expect(reply.error).toContain(`${key}: "${message}"`)
    },
  )

  it('is refused where it might be a condition on what is deleted', async () => {
    const path = `tables/${bucketId}.zip/rows?allowTruncate=1&filter=a`
    const { status, body } = await target.call('DELETE', path)
    expect([status, body.errors]).toEqual([400, [{ key: 'filter', message: 'This field was not expected.' }]])
  })

  it('is named in the warnings of the job', async () => {
    const path = `tables/${bucketId}.zip/columns`
    const { body: job } = await target.call('POST', path, { name: 'b', position: 1 })
    expect(job.warnings).toEqual([expect.stringContaining('position')])
  })

  /** What known clients send, in their sources, that no route reads. */
  const table = `tables/${bucketId}.zip`
  const configs = 'components/ex-generic-v2/configs'
  it.each([
    [
      'the Go SDK (CreateConfigRequest)',
      'POST',
      `branch/default/${configs}`,
      {
        branchId: 1,
        componentId: 'ex-generic-v2',
        configurationId: `go${run}`,
        name: 'n',
        rowsSortOrder: null,
      },
      201,
    ],
    [
      'the Go SDK (UpdateConfigRequest)',
      'PUT',
      `${configs}/go${run}`,
      { name: 'm', rows: [{ id: '1' }] },
      200,
    ],
    [
      'the command kbagent (delete_column)',
      'DELETE',
      `${table}/columns/b?async=true&force=true`,
      undefined,
      202,
    ],
    [
      'the PHP client (exportTableAsync)',
      'POST',
      `${table}/export-async`,
      { sourceBranchId: 'default' },
      202,
    ],
    [
      'the PHP suite (a new table)',
      'POST',
      `buckets/${bucketId}/tables-async`,
      { name: 'l', dataString: 'a' },
      400,
    ],
  ])('is no obstacle to %s', async (_client, method, path, body, expected) => {
    const { status, text } = await target.call(method, path, body)
    expect([status, text]).toEqual([expected, expect.not.stringContaining('not expected')])
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
