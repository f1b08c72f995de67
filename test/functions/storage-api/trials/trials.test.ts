import { describe, expect, it } from 'vitest'
import { previewStored } from '#functions/run-extractor/preview/preview-stored.ts'
import { PREVIEW_LIMITS } from '#lib/extractor/run/preview-schemas.ts'
import { withStorage } from '#support/storage-service.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { type ApiServer, startApi } from '../../lib/extractor/api-server.ts'

const SECRET = 'the-key-of-the-shop'
const configs = '/v2/storage/components/ex-generic-v2/configs'

const api: ApiServer = await untilEnd(
  startApi(({ path, headers }, response) => {
    response.setHeader('set-cookie', 'session=of-this-visit')
    if (path === '/orders') return [1, 2, 3].map(id => ({ id, city: 'Brno', echo: headers['x-api-token'] }))
    if (path === '/echo') {
      response.setHeader(`X-${SECRET}`, 'yes')
      const key = String(headers['x-api-token'])
      return [{ id: 1, [key]: 1, long: `${'x'.repeat(PREVIEW_LIMITS.shownCellLength - 7)}${key}` }]
    }
    if (path === '/long') return { items: [{ id: api.requests.length }] }
    response.statusCode = 403
    return { error: 'no' }
  }),
)
const service = await withStorage({ allowedHosts: ['127.0.0.1'] })

const shop = (jobs: object[], more: object = {}) => ({
  parameters: {
    api: { baseUrl: `${api.origin}/`, http: { headers: { 'X-Api-Token': { attr: '#key' } } } },
    config: { '#key': SECRET, jobs, ...more },
  },
})

const store = async (configuration: object): Promise<string> => {
  const { body } = await service.call('POST', configs, { name: 'Shop', configuration })
  return body.id
}

const preview = (id: string, body: object = {}, headers?: Record<string, string>) =>
  service.call('POST', `${configs}/${id}/preview`, body, headers)

describe('trying a stored configuration', () => {
  it('shows the first rows, and what was asked and answered, without secrets', async () => {
    const id = await store(shop([{ endpoint: 'orders' }]))
    const { status, body } = await preview(id, { rows: 2 })
    expect(status).toBe(200)
    expect(api.requests.at(-1)?.headers['x-api-token']).toBe(SECRET)
    expect(body.tables).toEqual([
      {
        name: 'orders',
        columns: ['id', 'city', 'echo'],
        rows: [
          ['1', 'Brno', '***'],
          ['2', 'Brno', '***'],
        ],
        rowsCount: 2,
        isCut: false,
      },
    ])
    const [exchange] = body.exchanges
    expect(exchange.request).toMatchObject({ method: 'GET', url: `${api.origin}/orders` })
    expect(exchange.request.headers['X-Api-Token']).toBe('***')
    expect(exchange.response).toMatchObject({ status: 200, isBodyCut: false })
    expect(exchange.response.body).toContain('"echo":"***"')
    expect(exchange.response.headers['set-cookie']).toBe('***')
    expect(body.jobs).toMatchObject([{ endpoint: 'orders', pages: 1 }])
    expect(JSON.stringify(body)).not.toContain(SECRET)
  })

  it('shows no secret in a cell, a column, a table name or a header, whole or cut', async () => {
    const id = await store(
      shop([{ endpoint: 'echo', dataType: `of-${SECRET}` }], { userData: { leaked: { attr: '#key' } } }),
    )
    const { body } = await preview(id)
    expect(body.error).toBeNull()
    const [table] = body.tables
    expect(table).toMatchObject({ name: 'of-***', columns: ['id', '***', 'long', 'leaked'] })
    expect(table.rows[0][3]).toBe('***')
    expect(JSON.stringify(body)).not.toMatch(/the-key/)
  })

  it('says why the API refused, with its answer', async () => {
    const { body } = await preview(await store(shop([{ endpoint: 'secret' }])))
    expect(body.error.message).toContain('403')
    expect(body.exchanges[0].response).toMatchObject({ status: 403, body: '{"error":"no"}' })
    expect(body.tables).toEqual([])
  })

  it('previews one row merged with its root, the first that is enabled by default', async () => {
    const id = await store(shop([{ endpoint: 'long' }]))
    await service.call('POST', `${configs}/${id}/rows`, { rowId: 'a', isDisabled: true })
    const configuration = { parameters: { config: { jobs: [{ endpoint: 'orders' }] } } }
    await service.call('POST', `${configs}/${id}/rows`, { rowId: 'b', name: 'Orders', configuration })
    expect((await preview(id)).body).toMatchObject({
      rowId: 'b',
      name: 'Orders',
      tables: [{ name: 'orders' }],
    })
    expect((await preview(id, { rowId: 'c' })).status).toBe(404)
  })

  it('is refused for a component that does not run here, and for a token without it', async () => {
    const other = '/v2/storage/components/keboola.runner-config-test/configs'
    await service.call('POST', other, { configurationId: 'x', name: 'x' })
    expect((await service.call('POST', `${other}/x/preview`, {})).body.code).toBe(
      'storage.components.notRunnable',
    )
    const id = await store(shop([{ endpoint: 'orders' }]))
    const { body: token } = await service.call('POST', '/v2/storage/tokens', { description: 'small' })
    const headers = { 'X-StorageApi-Token': token.token }
    expect((await preview(id, {}, headers)).status).toBe(403)
  })
})

describe('drafting a configuration', () => {
  const drafts = '/v2/storage/components/ex-generic-v2/drafts'
  const draft = async (body: object) => (await service.call('POST', drafts, body)).body
  const curl = () => `curl -H 'X-Api-Token: ${SECRET}' '${api.origin}/orders'`

  it('makes one of a curl command, with secrets sealed for it, remarks and rows', async () => {
    const made = await draft({ text: curl(), rows: 2 })
    expect(made).toMatchObject({ error: null })
    expect(made.draft.remarks.map(({ why }: { why: string }) => why).join()).toContain(
      'The answer is the list of rows',
    )
    expect(made.tables).toMatchObject([{ name: 'orders', rowsCount: 2 }])
    expect(JSON.stringify(made)).not.toContain(SECRET)
    expect(JSON.stringify(made)).not.toContain('__why')
    // What it sealed opens where it is stored, and for a preview of what was changed before.
    const { configuration } = made.draft
    const again = await draft({ configuration, configurationId: made.configurationId })
    expect(again).toMatchObject({ error: null, tables: [{ name: 'orders' }], draft: { configuration } })
    const stored = { name: 'Shop', configurationId: made.configurationId, configuration }
    expect((await service.call('POST', configs, stored)).status).toBe(201)
    expect((await preview(made.configurationId)).body.error).toBeNull()
    expect((await draft({ configuration, configurationId: 'another' })).error.code).toBe('secrets.notOpened')
  })

  it.each([
    [
      'a command for a private host, as a run does',
      'curl http://10.1.2.3/x',
      { message: expect.stringMatching(/10\.1\.2\.3/) },
    ],
    ['what is none', 'hello', { code: 'extractor.draft' }],
  ])('refuses %s', async (_, text, error) => {
    expect(await draft({ text })).toMatchObject({ error })
  })

  it('wants a text or a configuration', async () => {
    expect((await service.call('POST', drafts, {})).body.code).toBe('storage.components.validation')
  })
})

describe('the limits of a preview', () => {
  const request = () => ({
    componentId: 'ex-generic-v2',
    configId: 'x',
    configuration: pagesOf(`${api.origin}/`),
    state: {},
    imageParameters: {},
    adoptedSecrets: [],
    rows: 10,
  })
  const services = {
    openSecrets: async (value: unknown) => value,
    allowedHosts: ['127.0.0.1'],
    scratchFolder: folderUntilEnd(),
  }

  it('end it after so many requests or bytes, with what was said until then', async () => {
    const limits = { ...PREVIEW_LIMITS, requests: 3, shownBodyBytes: 5 }
    const shown = await previewStored(request(), { ...services, limits })
    expect(shown).toMatchObject({ stoppedBy: 'requests', error: null, tables: [] })
    expect(shown.exchanges).toHaveLength(3)
    expect(shown.exchanges[0]?.response).toMatchObject({ body: '{"ite', isBodyCut: true })
  })

  it('refuse an answer that is too large, and hosts that a run may not reach', async () => {
    const limits = { ...PREVIEW_LIMITS, bytes: 10 }
    const large = await previewStored(request(), { ...services, limits })
    expect(large.error?.code).toMatch(/^extractor\./)
    const private_ = await previewStored(request(), { ...services, allowedHosts: [] })
    expect(private_.error?.message).toMatch(/public|127\.0\.0\.1/)
    expect(private_.exchanges.every(({ response }) => response === null)).toBe(true)
  })

  it('do not let it read tables, nor use up a refresh token', async () => {
    const login = { parameters: { api: { authentication: { type: 'oauth2', grant: 'refresh_token' } } } }
    expect((await previewStored({ ...request(), configuration: login }, services)).error?.message).toMatch(
      /refresh token/,
    )
    const configuration = { parameters: { iterations: { table: 'shops.csv' } } }
    const shown = await previewStored({ ...request(), configuration }, services)
    expect(shown.error?.code).toBe('extractor.preview.refused')
  })
})

/** Pages that never end, each with other rows. */
const pagesOf = (baseUrl: string) => ({
  parameters: {
    api: { baseUrl, pagination: { method: 'pagenum', limit: 1, firstPage: 1 } },
    config: { jobs: [{ endpoint: 'long', dataField: 'items' }] },
  },
})

describe('a secret of somebody else', () => {
  const tokenOf = async (description: string, more: object = {}) => {
    const { body } = await service.call('POST', '/v2/storage/tokens', {
      description,
      componentAccess: ['ex-generic-v2'],
      ...more,
    })
    return { 'X-StorageApi-Token': String(body.token) }
  }
  const spelled = (value: object) => shop([{ endpoint: 'orders' }], { userData: { seen: value } })
  const functions = [
    { function: 'sprintf', args: ['%.12s', { attr: '#key' }] },
    { function: 'md5', args: [{ attr: '#key' }] },
    { function: 'concat', args: ['x', { function: 'substr', args: [{ attr: '#key' }, 0, 3] }] },
    { function: 'hash_hmac', args: ['sha256', 'x', { attr: '#key' }] },
  ]

  it.each(functions)('is opened by no draft under its id, whatever is made of it: $function', async value => {
    const id = await store(shop([{ endpoint: 'orders' }]))
    const stranger = await tokenOf('stranger')
    const { body } = await service.call('GET', `${configs}/${id}`, undefined, stranger)
    const { parameters } = body.configuration
    parameters.config.userData = { seen: value }
    const asked = api.requests.length
    const draft = { configurationId: id, configuration: { parameters } }
    const drafts = '/v2/storage/components/ex-generic-v2/drafts'
    const reply = await service.call('POST', drafts, draft, stranger)
    expect(reply).toMatchObject({ status: 400, body: { code: 'secrets.notOpened' } })
    expect(api.requests).toHaveLength(asked)
  })

  it('is not opened where another token changed what stands around it, also for the master', async () => {
    const id = await store(shop([{ endpoint: 'orders' }]))
    const stranger = await tokenOf('editor')
    const { body } = await service.call('GET', `${configs}/${id}`, undefined, stranger)
    const { parameters } = body.configuration
    parameters.config.userData = { seen: { function: 'md5', args: [{ attr: '#key' }] } }
    await service.call('PUT', `${configs}/${id}`, { configuration: { parameters } }, stranger)
    for (const headers of [stranger, undefined])
      expect(await preview(id, {}, headers)).toMatchObject({
        status: 400,
        body: { code: 'secrets.notOpened' },
      })
  })

  it('stays usable: whoever may use the component previews what those wrote who may have it', async () => {
    const id = await store(shop([{ endpoint: 'orders' }]))
    const reader = await tokenOf('reader')
    expect(await preview(id, {}, reader)).toMatchObject({ status: 200, body: { error: null } })
    const own = await service.call(
      'POST',
      configs,
      { name: 'Own', configuration: spelled({ attr: '#key' }) },
      reader,
    )
    expect(await preview(own.body.id, {}, reader)).toMatchObject({ status: 200, body: { error: null } })
  })

  it.each(functions)('is not shown in what its author made of it: $function', async value => {
    const id = await store(spelled(value))
    const { body } = await preview(id)
    expect(body.tables[0].columns).toEqual(['id', 'city', 'echo', 'seen'])
    expect(body.tables[0].rows[0][3]).toBe('***')
  })

  it('a draft leaves an event of who tried it', async () => {
    const drafts = '/v2/storage/components/ex-generic-v2/drafts'
    const draft = { configurationId: 'tried', configuration: shop([{ endpoint: 'orders' }]) }
    expect(await service.call('POST', drafts, draft)).toMatchObject({ status: 200 })
    const { body } = await service.call('GET', '/v2/storage/events?configurationId=tried')
    expect(body).toMatchObject([
      { message: 'Tried a draft of a configuration as tried', token: { name: 'Master token' } },
    ])
  })
})
