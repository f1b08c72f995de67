import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, tokenFor } = await startTableRoutes()
const { call } = service
const configs = '/v2/storage/components/keboola.mcp-server-tool/configs'
const reading = { readOnlyStorageAccess: true, backend: 'snowflake', loginType: 'snowflake-person-sso' }
const as = (token: string) => ({ 'X-StorageApi-Token': token })

const orders = await service.createTable(bucketId, 'orders', 'id,city\n1,Prague\n2,Brno\n3,Plzen\n')
const workspaceId = (await call('POST', '/v2/storage/workspaces', reading)).body.id

const submit = (sql: string, token = service.token, place = `branches/1/workspaces/${workspaceId}`) =>
  call('POST', `/query/api/v1/${place}/queries`, { statements: [sql] }, as(token))
/** In a workspace of the token. */
const outcomeOf = async (sql: string, token = service.token, page = '') => {
  const own = (await call('POST', '/v2/storage/workspaces', reading, as(token))).body.id
  const { body } = await submit(sql, token, `branches/1/workspaces/${own}`)
  await call('DELETE', `/v2/storage/workspaces/${own}`, undefined, as(token))
  const path = `/query/api/v1/queries/${body.queryJobId}`
  const { body: query } = await call('GET', path, undefined, as(token))
  const [statement] = query.statements
  const { body: results } = await call('GET', `${path}/${statement.id}/results${page}`, undefined, as(token))
  return { path, query, results }
}

it('a workspace is listed in its branch, under its configuration, until it is deleted', async () => {
  const { body: config } = await call('POST', configs, { name: 'of a client' })
  const ofConfig = `${configs}/${config.id}/workspaces`
  const made = await call('POST', `${ofConfig}?async=true`, reading)
  expect([made.status, made.body.operationName]).toEqual([202, 'workspaceCreate'])
  await service.jobsEnded()
  const { body: job } = await call('GET', `/v2/storage/jobs/${made.body.id}`)
  expect(job.results).toMatchObject({
    id: made.body.id,
    component: 'keboola.mcp-server-tool',
    configurationId: config.id,
    readOnlyStorageAccess: true,
    connection: {
      backend: 'snowflake',
      database: expect.stringMatching(/^project_/),
      schema: `WORKSPACE_${made.body.id}`,
    },
  })
  expect((await call('GET', ofConfig)).body).toEqual([job.results])
  const listed = async () =>
    (await call('GET', '/v2/storage/workspaces')).body.map(({ id }: { id: number }) => id)
  expect(await listed()).toEqual([workspaceId, made.body.id])
  const path = `/v2/storage/workspaces/${made.body.id}`
  expect((await call('GET', path)).body).toEqual(job.results)
  const other = as(await tokenFor({}))
  expect((await call('GET', path, undefined, other)).status).toBe(404)
  expect((await call('GET', '/v2/storage/workspaces', undefined, other)).body).toEqual([])
  expect((await call('GET', '/v2/storage/workspaces', undefined, other)).status).toBe(200)
  expect((await call('DELETE', path, undefined, other)).status).toBe(404)
  expect((await call('DELETE', `${path}?async=1`)).body.operationName).toBe('workspaceDelete')
  await service.jobsEnded()
  expect((await call('GET', path)).status).toBe(404)
  expect(await listed()).toEqual([workspaceId])
})

it('a token has a hundred at most', async () => {
  const one = as(await tokenFor({}))
  const statuses = await Promise.all(
    Array.from(
      { length: 100 },
      async () => (await call('POST', '/v2/storage/workspaces', reading, one)).status,
    ),
  )
  expect(new Set(statuses)).toEqual(new Set([201]))
  for (const query of ['', '?async=1'])
    expect(await call('POST', `/v2/storage/workspaces${query}`, reading, one)).toMatchObject({
      status: 429,
      body: { error: expect.stringContaining('Delete one') },
    })
  expect((await call('POST', '/v2/storage/workspaces', reading, as(await tokenFor({})))).status).toBe(201)
})

it('a workspace of a development branch is not in the default one', async () => {
  const { body: branch } = await call('POST', '/v2/storage/dev-branches', { name: 'b' })
  await service.jobsEnded()
  const { body } = await call('POST', `/v2/storage/branch/${branch.id}/workspaces`, reading)
  expect((await call('GET', `/v2/storage/workspaces/${body.id}`)).status).toBe(404)
  const place = `branches/${branch.id}/workspaces/${body.id}`
  expect((await submit(`SELECT * FROM ${orders}`, service.token, place)).status).toBe(201)
  expect((await submit('SELECT 1', service.token, place.replace(branch.id, '1'))).body.code).toBe(404)
  await call('DELETE', `/v2/storage/branch/${branch.id}/workspaces/${body.id}`)
})

it('one that would be written into is refused with what to do instead', async () => {
  const reply = await call('POST', '/v2/storage/workspaces', { backend: 'snowflake' })
  expect(reply).toMatchObject({ status: 501, body: { error: expect.stringContaining('export-async') } })
})

it('a query names tables as clients read them from the bucket, and its rows come by the page', async () => {
  const { body: table } = await call('GET', `/v2/storage/tables/${orders}`)
  const name = [...table.bucket.backendPath, table.name].map(part => `"${part}"`).join('.')
  const { query, results } = await outcomeOf(
    `SELECT id, ${name}.city FROM ${name} ORDER BY 1`,
    service.token,
    '?offset=1&pageSize=1',
  )
  expect(query).toMatchObject({ status: 'completed', statements: [{ status: 'completed', numberOfRows: 3 }] })
  expect(results).toEqual({
    status: 'completed',
    message: '',
    columns: [
      { name: 'id', type: 'VARCHAR' },
      { name: 'city', type: 'VARCHAR' },
    ],
    data: [['2', 'Brno']],
    numberOfRows: 3,
    rowsAffected: 0,
  })
})

it.each([
  ['is not SQL', 'SELEC 1', 'syntax error'],
  ['would write', 'DROP TABLE x', 'Only queries are run'],
])('what is wrong with a query that %s is its outcome', async (_, sql, message) => {
  const { query, results } = await outcomeOf(sql)
  expect(query.status).toBe('failed')
  expect(results).toMatchObject({ status: 'failed', message: expect.stringContaining(message), data: [] })
})

it('a query reads what its token may read, and only that token sees its rows', async () => {
  const [reader, stranger] = [await tokenFor({ [bucketId]: 'read' }), await tokenFor({})]
  expect((await submit('SELECT 1', reader)).status).toBe(404)
  const { path, results } = await outcomeOf(`SELECT count(*) FROM ${orders}`, reader)
  expect(results.data).toEqual([['3']])
  expect((await call('GET', path, undefined, as(stranger))).body.code).toBe(403)
  expect((await outcomeOf(`SELECT 1 FROM ${orders}`, stranger)).query.status).toBe('failed')
})

it('says that more rows are there than are kept', async () => {
  const { results } = await outcomeOf('SELECT * FROM range(10001)')
  expect(results).toMatchObject({ numberOfRows: 10_000, message: expect.stringContaining('more rows') })
})

it.each([['query'], ['query-result']])('a file that nobody has made by a query is none: %s', async tag => {
  const { body: file } = await call('POST', '/v2/storage/files/prepare', { name: 'f', tags: [tag] })
  expect((await call('GET', `/query/api/v1/queries/${file.id}`)).status).toBe(404)
})
