import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createConsole } from '#functions/storage-api/console/console.tsx'
import { routes as consoleRoutes } from '#functions/storage-api/console/routes.ts'
import { withConsole } from '#functions/storage-api/console/with-console.ts'
import { answerGatewayEvent } from '#functions/storage-api/gateway.ts'
import { cutList, MAX_LIST_BYTES } from '#functions/storage-api/http/page.ts'
import { ok } from '#functions/storage-api/http/reply.ts'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { bytesInReply } from '#lib/json/bytes-in-reply.ts'
import { withStorage } from '#support/storage-service.ts'

/*
 * Tokens write the largest of everything that they may. Whatever it is, each list and each page is still answered through the limit of
 * the gateway: lists page by page, with every item once.
 */

const service = await withStorage()
const failures: Error[] = []
const app = withConsole(service.app, async () =>
  createConsole({
    ...service.stores,
    api: service.app,
    assets: () => new Map(),
    storeOrigins: [],
    now: () => new Date(),
    log: { error: (_, error) => failures.push(error) },
  }),
)
const domainName = 'storage.test'
const get = async (address: string, headers: Record<string, string>) => {
  const { pathname, search } = new URL(address, `https://${domainName}`)
  return answerGatewayEvent(app, {
    rawPath: decodeURIComponent(pathname),
    rawQueryString: search.slice(1),
    headers,
    cookies: [],
    isBase64Encoded: false,
    requestContext: { domainName, http: { method: 'GET' } },
  })
}
const read = (path: string) => get(path, { 'x-storageapi-token': service.token })

// Each takes four bytes in JSON within JSON
const quotes = (length: number): string => '"'.repeat(length)
const component = 'keboola.runner-config-test'
const configs = `components/${component}/configs`
const known: Record<string, string> = { componentId: component, column: 'id', branchId: 'default' }

const write = async (path: string, body: object, method = 'POST', token = service.token) => {
  const reply = await service.call(method, `/v2/storage/${path}`, body, { 'X-StorageApi-Token': token })
  if (reply.status >= 300) throw new Error(`${path}: ${reply.text.slice(0, 500)}`)
  return reply.body
}
const times = async (count: number, act: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index++) await act(index)
}
const metadata = [...Array(9).keys()].map(index => ({ key: `key${index}`, value: quotes(27_000) }))

const store = async () => {
  const { token: nobody } = await write('tokens', {})
  await times(20, index =>
    write(
      'files/prepare',
      {
        name: `f${index}`,
        tags: [...Array(500).keys()].map(tag => `${tag}${quotes(190)}`),
        isSliced: true,
        federationToken: 1,
      },
      'POST',
      nobody,
    ),
  )
  known['bucketId'] = await service.createBucket('main')
  known['tableId'] = await service.createTable(
    known['bucketId'],
    'first',
    `id,text\n1,${'y'.repeat(3_000_000)}\n`,
  )
  known['fileId'] = String(await service.upload('id\n1\n'))
  known['columnId'] = `${known['tableId']}.id`
  await times(8, async index => {
    const bucket = await service.createBucket(`wide${index}`)
    await write(`buckets/${bucket}/metadata`, { provider: 'user', metadata })
    const table = await service.createTable(bucket, 't', 'id,text\n1,x\n')
    await write(`tables/${table}/metadata`, { provider: 'user', columnsMetadata: { id: metadata } })
  })
  await write(`tables/${known['tableId']}/metadata`, { provider: 'user', metadata })
  await write('metadata', { metadata })
  const largest = { parameters: { text: 'x'.repeat(4_194_000) } }
  await times(2, index =>
    write(configs, {
      configurationId: `large${index}`,
      name: 'large',
      configuration: largest,
      state: { text: quotes(400_000) },
    }),
  )
  await write(configs, { configurationId: 'c', name: 'c', description: quotes(10_000), configuration: {} })
  const rows = `${configs}/c/rows`
  await times(2, index => write(rows, { rowId: `r${index}`, configuration: { text: 'x'.repeat(2_900_000) } }))
  await times(2, index =>
    write(`${rows}/r0`, { configuration: { text: `${index}${'x'.repeat(2_900_000)}` } }, 'PUT'),
  )
  await times(2, index => write(`${configs}/c`, { configuration: { text: `${index}${quotes(100)}` } }, 'PUT'))
  await write(`${configs}/c/metadata`, { metadata })
  await times(20, () => write('events', { component, message: quotes(90_000), configurationId: 'c' }))
  await times(40, index => write('tokens', { description: `${index}${quotes(990)}` }))
  await times(22, () =>
    write(`tables/${known['tableId']}/export-async`, {
      whereColumn: 'id',
      whereValues: [...Array(540).keys()].map(() => 'x'.repeat(330)),
    }),
  )
  await times(2, () => write(`tables/${known['tableId']}/snapshots`, { description: quotes(10_000) }))
  await service.jobsEnded()
  Object.assign(known, { configId: 'c', rowId: 'r0', versionId: '2', otherVersionId: '1' })
  const first = async (path: string): Promise<string> =>
    String((await read(`/v2/storage/${path}`).then(({ body }) => JSON.parse(body)))[0].id)
  for (const [name, path] of Object.entries({
    jobId: 'jobs?limit=1',
    eventId: 'events?limit=1',
    tokenId: 'tokens',
    snapshotId: `tables/${known['tableId']}/snapshots`,
  }))
    known[name] = await first(path)
}

const odd = `<b>"\u202e&'%2f\n../😀`
const oddSettings: readonly object[] = [
  {},
  { schedule: 5, target: [] },
  { schedule: { cronTab: odd, timezone: odd, state: 'enabled' }, target: { componentId: odd } },
  { phases: odd, tasks: [null] },
  { values: { [odd]: null }, variables: [1] },
  { parameters: null, storage: 'x', processors: [] },
]
const oddComponents = [
  'keboola.scheduler',
  'keboola.flow',
  'keboola.orchestrator',
  'keboola.variables',
  component,
  'ex-generic-v2',
]
const tokens: Record<string, string> = {}

/** The oddest that is legal, by a token with few rights; then it and others look. */
const storeOddest = async () => {
  const made = async (settings: object) => (await write('tokens', { description: odd, ...settings })).token
  const read = { bucketPermissions: { [String(known['bucketId'])]: 'read' } }
  tokens['master'] = service.token
  tokens['of components'] = await made({ componentAccess: oddComponents })
  tokens['of a bucket'] = await made(read)
  tokens['of nothing'] = await made({})
  tokens['of all buckets'] = await made({ canManageBuckets: true, canReadAllFileUploads: true })
  const by = tokens['of components'] ?? ''
  for (const id of oddComponents)
    for (const configuration of oddSettings) {
      const path = `components/${id}/configs`
      const headers = { 'X-StorageApi-Token': by }
      const force = { name: odd, description: odd, configuration, state: { [odd]: odd } }
      const reply = await service.call('POST', `/v2/storage/${path}`, force, headers)
      if (reply.status >= 500) throw new Error(reply.text)
      if (reply.status === 201)
        await service.call(
          'POST',
          `/v2/storage/${path}/${reply.body.id}/rows`,
          { name: odd, configuration },
          headers,
        )
    }
  await write('events', { component, message: odd, params: { [odd]: odd } }, 'POST', by)
  await write('files/prepare', { name: odd, tags: [odd], federationToken: 1 }, 'POST', by)
  await write('workspaces', { readOnlyStorageAccess: true }, 'POST', by)
}

/** Queries that ask for as much as a list can hold. */
const most: Record<string, string[]> = {
  '/v2/storage/tables': ['include=columns,metadata,columnMetadata,buckets'],
  '/v2/storage/buckets': ['include=metadata', 'offset=3&include=metadata'],
  '/v2/storage/buckets/{bucketId}/tables': ['include=columns,metadata,columnMetadata'],
  '/v2/storage/files': ['limit=10000'],
  '/v2/storage/jobs': ['limit=100'],
  '/v2/storage/events': ['limit=10000', 'limit=10000&sortOrder=asc'],
  '/v2/storage/components': ['include=configuration,rows,state'],
  [`/v2/storage/components/{componentId}/configs/{configId}/versions`]: ['include=configuration,rows'],
  [`/v2/storage/components/{componentId}/configs/{configId}/rows/{rowId}/versions`]: [
    'include=configuration',
  ],
  '/v2/storage/search/tables': ['metadataKey=key0&include=metadata,columnMetadata'],
  '/v2/storage/search/component-configurations': [
    'idComponent=keboola.runner-config-test&include=filteredMetadata&metadataKeys[]=key0',
  ],
  '/v2/storage/global-search': ['query=t'],
  '/v2/storage/stats': ['runId=1'],
  '/v2/storage/logs': ['correlationId=1'],
}
const gets = routes.filter(({ method }) => method === 'get').map(({ definition: { path } }) => path)
const asked = [...new Set(gets)].flatMap(path => ['', ...(most[path] ?? [])].map(query => `${path}?${query}`))

describe('whatever tokens have stored', () => {
  beforeAll(async () => {
    await store()
    await storeOddest()
  }, 600_000)

  it.each(asked)('is answered: GET %s', async address => {
    const path = address.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name] ?? '1'))
    const listed: unknown[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const { statusCode, body, headers } = await read(next)
      const isUnanswered = statusCode === 413 || (statusCode >= 500 && !body.includes('"notImplemented"'))
      expect(isUnanswered, body.slice(0, 300)).toBe(false)
      if (statusCode !== 200 || !body.startsWith('[')) return
      listed.push(...JSON.parse(body))
      const link: string | undefined = /^<([^>]*)>; rel="next"$/.exec(headers['link'] ?? '')?.[1]
      if (link !== undefined) expect(JSON.parse(body).length).toBeGreaterThan(0)
      next = link
    }
    const ids = listed.map(item => {
      const { id, version, configurationId } = item as Record<string, unknown> // of a list, by what names it
      return JSON.stringify([id, version, configurationId])
    })
    expect(new Set(ids).size).toBe(ids.length)
    const [plain = ''] = address.split('?')
    const counts: Record<string, number> = {
      '/v2/storage/files': 21,
      '/v2/storage/tokens': 45,
      '/v2/storage/tables': 9,
      '/v2/storage/buckets': 9,
    }
    if (counts[plain] !== undefined && !address.includes('offset'))
      expect(ids.length).toBeGreaterThanOrEqual(counts[plain])
  })

  const pages = consoleRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path)
  const people = ['master', 'of components', 'of a bucket', 'of nothing', 'of all buckets']
  const visits = pages.flatMap(path => people.map(whom => [path, whom] as const))
  it.each(visits)('is a page of the console: %s, for the token %s', async (path, whom) => {
    const id = /\/(\w+)\/:id/.exec(path)?.[1] ?? ''
    const ids: Record<string, string | undefined> = {
      component,
      id: { tables: known['tableId'], jobs: known['jobId'], files: known['fileId'] }[id] ?? 'c',
      row: 'r0',
      version: '1',
    }
    const signedIn = await app.fetch(
      new Request(`https://${domainName}/console/sign-in`, {
        method: 'POST',
        headers: { origin: `https://${domainName}`, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: tokens[whom] ?? '' }),
      }),
    )
    const cookie = signedIn.headers
      .getSetCookie()
      .map(each => each.split(';')[0])
      .join('; ')
    const { statusCode, body } = await get(
      path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '1'),
      { cookie },
    )
    expect(statusCode, body.slice(0, 1_000)).toBeLessThan(413)
    if (statusCode !== 303) expect(body).toContain('<')
    expect(failures).toEqual([])
  })

  it('and what no reply could show is refused when it is stored', async () => {
    const tooMany = metadata.map(each => ({ ...each, key: `more-${each.key}` }))
    const refused = [
      await service.call('POST', '/v2/storage/metadata', { metadata: tooMany }),
      await service.call('POST', `/v2/storage/${configs}/c/rows`, {
        configuration: { text: 'x'.repeat(2_000_000) },
      }),
      await service.call('PUT', `/v2/storage/${configs}/large0`, {
        configuration: { text: quotes(2_000_000) },
      }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 413, 413])
    // What makes it smaller is stored
    expect((await service.call('PUT', `/v2/storage/${configs}/large0`, { configuration: {} })).status).toBe(
      200,
    )
  })
})

it('a list of any items is cut by bytes, and its links lead through all of them', async () => {
  const size = fc.oneof(fc.nat(2_000), fc.integer({ min: 500_000, max: 2_000_000 }), fc.constant(7_000_000))
  await fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 12 }), fc.nat(3), async (sizes, start) => {
      const items = sizes.map((length, id) => ({ id, text: 'x'.repeat(length) }))
      const seen: number[] = []
      let address: URL | undefined = new URL(`https://storage.test/v2/storage/tokens?offset=${start}`)
      while (address !== undefined) {
        const reply: Response = await cutList(ok(items), address, Number(address.searchParams.get('offset')))
        const shown = (await reply.json()) as { id: number; text?: string }[]
        expect(bytesInReply(shown)).toBeLessThan(MAX_LIST_BYTES + 1_000)
        for (const { id, text } of shown) {
          expect(text?.length).toBe((sizes[id] ?? 0) > MAX_LIST_BYTES ? undefined : sizes[id])
          seen.push(id)
        }
        const link: string | undefined = /^<(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
        address = link === undefined ? undefined : new URL(link)
      }
      expect(seen).toEqual(items.map(({ id }) => id).slice(start))
    }),
    { numRuns: 5 },
  )
})
