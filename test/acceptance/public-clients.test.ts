import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

/** What public clients compare or decode, each as its own tests ask for it. */
const target = await connectTarget()
const bucketId = await target.createBucket('public-clients')
const run = Date.now().toString(36)
const configs = 'components/ex-generic-v2/configs'

describe('the PHP client finds', () => {
  it('the table in the results of a changed definition of a column', async () => {
    const columns = [{ name: 'id', definition: { type: 'VARCHAR', length: '10', nullable: true } }]
    const tableId = `${bucketId}.typed`
    await target.job('POST', `buckets/${bucketId}/tables-definition`, { name: 'typed', columns })
    const job = await target.job('PUT', `tables/${tableId}/columns/id/definition`, { length: '20' })
    expect([job.status, job.results?.id]).toEqual(['success', tableId])
  })

  it('features, a limit and the owner in what a token says of itself', async () => {
    const { body } = await target.call('GET', 'tokens/verify')
    expect(body.owner.features).toEqual(expect.arrayContaining(['hide-decrypted-token', 'global-search']))
    const [limit] = Object.entries<{ name: string; value: number }>(body.owner.limits)
    expect(limit).toEqual([limit?.[0], { name: limit?.[0], value: expect.any(Number) }])
    expect(body.adminOwner).toEqual({
      id: expect.any(Number),
      name: expect.any(String),
      email: expect.any(String),
    })
    expect(body.token).toBeUndefined()
  })

  it('a tag with a slash at its end gone once it was deleted', async () => {
    const { body: file } = await target.call('POST', 'files/prepare', { name: 'a', federationToken: true })
    const tag = `image/tag-${run}/`
    await target.call('POST', `files/${file.id}/tags`, { tag })
    expect((await target.call('DELETE', `files/${file.id}/tags/${tag}`)).status).toBe(204)
    expect((await target.call('GET', `files/${file.id}`)).body.tags).toEqual([])
  })

  it('no identifier of a version in a row', async () => {
    const { body: made } = await target.call('POST', configs, { name: 'rows' })
    const { body: row } = await target.call('POST', `${configs}/${made.id}/rows`, { rowId: 'r', name: 'r' })
    expect(row).not.toHaveProperty('versionIdentifier')
    const { body: whole } = await target.call('GET', `${configs}/${made.id}`)
    expect(whole.rows).toEqual([row])
    const { body: versions } = await target.call('GET', `${configs}/${made.id}/rows/r/versions`)
    expect(versions[0]).not.toHaveProperty('versionIdentifier')
    await target.call('DELETE', `${configs}/${made.id}`)
  })

  it.each([
    ['columns=a&whereColumn=gone&whereValues[]=1', "Can't filter by column gone, column does not exist"],
    ['orderBy[0][column]=gone', "Can't filter by column gone, column does not exist"],
    ['orderBy[0][column]=a&orderBy[0][order]=UP', 'Invalid sort order UP. Available orders are [DESC|ASC]'],
    [
      'orderBy[0][column]=a&orderBy[0][dataType]=JSON',
      'Data type JSON not recognized. Possible datatypes are [INTEGER|DOUBLE]',
    ],
    [
      'whereFilters[0][column]=a&whereFilters[0][operator]=is&whereFilters[0][values][]=1',
      'Invalid where operator is',
    ],
    [
      'orderBy[column]=a',
      'All items in param "orderBy" should be an arrays, but parameter contains:\n{"column":"a"}',
    ],
    ['whereColumn=a', 'Invalid request:\n - whereColumn: "To use "whereColumn" specify "whereValues"."'],
    ['orderBy=a', 'Parameter "orderBy" should be an array, but parameter contains:\n"a"'],
    ['orderBy[]=a', 'All items in param "orderBy" should be an arrays, but parameter contains:\n["a"]'],
    [
      'fulltextSearch=a&whereFilters[0][column]=a&whereFilters[0][values][]=1',
      'Cannot use fulltextSearch and whereFilters at the same time',
    ],
  ])('the sentence it knows for a preview with %s', async (query, sentence) => {
    const dataFileId = await target.upload('a\n1\n')
    await target
      .job('POST', `buckets/${bucketId}/tables-async`, { name: 'words', dataFileId })
      .catch(() => {})
    const { status, body } = await target.call('GET', `tables/${bucketId}.words/data-preview?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(sentence)])
  })

  it.each([
    [
      '',
      'No filters have been specified, which will truncate the table, but the `allowTruncate` parameter was not set.',
    ],
    [
      '?whereColumn=c&whereValues[]=1',
      'Filter validation: Cannot filter by column "c", column does not exist',
    ],
  ])('the sentence it knows for a deletion of rows with "%s"', async (query, sentence) => {
    const { status, body } = await target.call('DELETE', `tables/${bucketId}.words/rows${query}`)
    expect([status, body.error]).toEqual([400, sentence])
  })
})

describe('clients that list tables find', () => {
  it('what the columns of the source say, in an alias that shows them', async () => {
    const dataFileId = await target.upload('a,b\n1,2\n')
    await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'source', dataFileId })
    const sourceTable = `${bucketId}.source`
    for (const column of ['a', 'b'])
      await target.call('POST', `columns/${sourceTable}.${column}/metadata`, {
        provider: 'p',
        metadata: [{ key: 'k', value: column }],
      })
    const alias = { sourceTable, name: 'alias', aliasColumns: ['b'] }
    const { body: made } = await target.call('POST', `buckets/${bucketId}/table-aliases`, alias)
    const columnMetadata = { b: [expect.objectContaining({ key: 'k', value: 'b' })] }
    const { body: detail } = await target.call('GET', `tables/${made.id}`)
    expect(detail.sourceTable.columnMetadata).toEqual(columnMetadata)
    const asked = 'include=sourceMetadata,sourceColumnMetadata'
    for (const list of ['tables', `buckets/${bucketId}/tables`]) {
      const { body: tables } = await target.call('GET', `${list}?${asked}`)
      const listed = tables.find(({ id }: { id: string }) => id === made.id)
      expect(listed.sourceTable).toMatchObject({ id: sourceTable, metadata: [], columnMetadata })
    }
  })
})

describe('other words and events that the PHP client knows', () => {
  it.each([
    ['POST', { provider: 'a' }, '', 400, 'The metadata parameter must be an array.'],
    ['POST', { metadata: [{ key: 'a', value: 'b' }] }, '', 400, 'Provider is required.'],
    ['DELETE', undefined, '/9', 404, `Metadata "9" not found for bucket "${bucketId}".`],
  ])('%s metadata of a bucket with %j', async (method, body, path, status, error) => {
    const reply = await target.call(method, `buckets/${bucketId}/metadata${path}`, body)
    expect([reply.status, reply.body.error]).toEqual([status, error])
  })

  it('a configuration that is made again over one in the trash is restored', async () => {
    const id = `again${run}`
    const make = () => target.call('POST', configs, { configurationId: id, name: 'a' })
    await make()
    await target.call('DELETE', `${configs}/${id}`)
    expect((await make()).body.version).toBe(3)
    const { body: events } = await target.call('GET', 'events?limit=100')
    const ofIt = events.filter(({ objectId }: { objectId: string }) => objectId === id)
    expect(ofIt[0]).toMatchObject({
      event: 'storage.componentConfigurationRestored',
      params: { version: 3 },
    })
    await target.call('DELETE', `${configs}/${id}`)
  })

  it('a branch with its values in its job, the origin of a copy in its version, and its events only below it', async () => {
    const id = `origin${run}`
    await target.call('POST', configs, { configurationId: id, name: 'o' })
    const name = `php ${run}`
    const job = await target.job('POST', 'dev-branches', { name })
    expect(job.operationParams).toEqual({ values: { name, description: '' }, queue: 'main' })
    const at = `branch/${job.results.id}`
    expect((await target.call('GET', `${at}/${configs}/${id}/versions/1`)).body.changeDescription).toBe(
      `Copied from default branch configuration version "o" (configuration id: ${id}) version 1`,
    )
    const { body: token } = await target.call('GET', 'tokens/verify')
    const seen = async (place: string) =>
      (await target.call('GET', `${place}tokens/${token.id}/events?limit=20`)).body.map(
        ({ idBranch, objectId }: { idBranch: number; objectId: string }) => [idBranch, objectId],
      )
    await target.call('PUT', `${at}/${configs}/${id}`, { name: 'of the branch' })
    expect(await seen(`${at}/`)).toContainEqual([job.results.id, id])
    expect(await seen('')).not.toContainEqual([job.results.id, id])
    await target.call('DELETE', `${configs}/${id}`)
    await target.job('DELETE', `dev-branches/${job.results.id}`)
  })
})

describe('who asks for what happened finds', () => {
  it('an event by the beginning of its message, in quotes too', async () => {
    await target.call('POST', 'events', {
      component: 'ex-generic-v2',
      message: `call of ${run} succeeded in 1 s`,
    })
    for (const q of [`message:"call of ${run} succeeded*"`, `message:"of ${run}"`])
      expect((await target.call('GET', `events?q=${encodeURIComponent(q)}`)).body).toHaveLength(1)
  })

  it('the sentence that it knows for a trigger without a pause', async () => {
    const body = {
      runWithTokenId: 1,
      component: 'ex-generic-v2',
      configurationId: '1',
      coolDownPeriodMinutes: 0,
      tableIds: ['in.c-a.b'],
    }
    expect(await target.call('POST', 'triggers', body)).toMatchObject({
      status: 400,
      body: { error: 'Minimal cool down period is 1 minute' },
    })
  })
})

describe('the Go SDK finds', () => {
  it('a definition of a table without types', async () => {
    expect((await target.call('GET', `tables/${bucketId}.words`)).body).toMatchObject({
      isTyped: false,
      definition: { primaryKeysNames: [], columns: [{ name: 'a', definition: [] }] },
    })
  })

  it('no rows in a new configuration, over which it decodes its own', async () => {
    const { body } = await target.call('POST', configs, { name: 'go', configurationId: `go${run}` })
    expect(body).not.toHaveProperty('rows')
  })

  it('an event stored whose results are the text null', async () => {
    const event = { component: 'ex-generic-v2', message: 'a', results: 'null' }
    const { status, body } = await target.call('POST', 'events', event)
    expect([status, body.results]).toEqual([201, {}])
  })

  it('only configurations with metadata, when it asks for metadata', async () => {
    const search =
      'branch/default/search/component-configurations?include=filteredMetadata&idComponent=ex-generic-v2'
    const ids = async () =>
      (await target.call('GET', search)).body.map(
        ({ configurationId }: { configurationId: string }) => configurationId,
      )
    expect(await ids()).not.toContain(`go${run}`)
    await target.call('POST', `${configs}/go${run}/metadata`, { metadata: [{ key: 'k', value: 'v' }] })
    expect(await ids()).toContain(`go${run}`)
    await target.call('DELETE', `${configs}/go${run}`)
  })

  it('development branches before the default one', async () => {
    const { results: branch } = await target.job('POST', 'dev-branches', { name: `go ${run}` })
    const { body: branches } = await target.call('GET', 'dev-branches')
    expect(branches.at(-1)).toMatchObject({ isDefault: true })
    await target.job('DELETE', `dev-branches/${branch.id}`)
  })

  it('an object where a table has no metadata of columns', async () => {
    expect((await target.call('GET', `tables/${bucketId}.words`)).body.columnMetadata).toEqual({})
  })
})
