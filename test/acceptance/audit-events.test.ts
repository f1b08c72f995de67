import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const component = 'keboola.runner-config-test'
const configs = `components/${component}/configs`

const target = await connectTarget()

const run = Date.now().toString(36)
let names = 0
const newName = () => `audit-${run}-${++names}`

const send = async (method: string, path: string, body?: object) => {
  const reply = await target.call(method, path, body)
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.body
}

/** The newest event of this name about an object. Events of jobs follow the end of the job. */
const eventOf = async (event: string, objectId: string | number) => {
  const q = encodeURIComponent(`event:storage.${event} AND objectId:"${objectId}"`)
  let found: { params: object; results: object }[] = []
  await expect
    .poll(async () => (found = (await target.call('GET', `events?limit=1&q=${q}`)).body))
    .toHaveLength(1)
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  return found[0] as any
}

describe('a configuration', () => {
  it('has an event for each change, with what clients compare in its order', async () => {
    const configurationId = newName()
    const about = (version: number, name = 'first') => ({ component, configurationId, name, version })
    const expectEvent = async (
      event: string,
      message: string,
      params: object,
      objectId = configurationId,
    ) => {
      const found = await eventOf(`componentConfiguration${event}`, objectId)
      expect(found).toMatchObject({
        component: 'storage',
        type: 'success',
        message: `${message} (${component})`,
        objectType: 'componentConfiguration',
        context: { apiVersion: 'v2', async: false },
      })
      expect(JSON.stringify(found.params)).toBe(JSON.stringify(params))
    }

    await send('POST', configs, { configurationId, name: 'first', configuration: { a: 1 } })
    await expectEvent('Created', 'Created component configuration "first"', about(1))
    await send('PUT', `${configs}/${configurationId}`, { name: 'first', configuration: { a: 2 } })
    await expectEvent('Changed', 'Changed component configuration "first"', about(2))
    await send('PUT', `${configs}/${configurationId}/state`, { state: { at: 1 } })
    await expectEvent('StateChanged', 'Changed state of component configuration "first"', about(2))
    await send('POST', `${configs}/${configurationId}/versions/1/rollback`)
    await expectEvent('RolledBack', 'Rolled back component configuration "first"', {
      ...about(3),
      sourceConfiguration: about(1),
    })
    const copy = await send('POST', `${configs}/${configurationId}/versions/2/create`, { name: 'second' })
    const copied = { component, configurationId: copy.id, name: 'second', version: 1 }
    await expectEvent(
      'Copied',
      'Copied component configuration "first" to "second"',
      { ...copied, sourceConfiguration: about(2) },
      copy.id,
    )
    await send('DELETE', `${configs}/${configurationId}`)
    await expectEvent('Deleted', 'Deleted component configuration "first"', about(4))
    await send('POST', `${configs}/${configurationId}/restore`)
    await expectEvent('Restored', 'Restored component configuration "first"', about(5))
    await send('DELETE', `${configs}/${configurationId}`)
    await send('DELETE', `${configs}/${configurationId}`)
    await expectEvent('Purged', 'Permanently deleted component configuration "first"', about(6))
    for (let times = 0; times < 2; times++) await send('DELETE', `${configs}/${copy.id}`)
  })

  it('has none for a change that changes nothing', async () => {
    const configurationId = newName()
    await send('POST', configs, { configurationId, name: 'same' })
    await send('PUT', `${configs}/${configurationId}`, { name: 'same' })
    const q = encodeURIComponent(`objectId:"${configurationId}"`)
    const found = await send('GET', `events?q=${q}`)
    expect(found.map(({ event }: { event: string }) => event)).toEqual([
      'storage.componentConfigurationCreated',
    ])
  })

  it('has events of its rows', async () => {
    const configurationId = newName()
    const rows = `${configs}/${configurationId}/rows`
    const row = (rowId: string, version: number, ofConfiguration: number) => ({
      rowId,
      name: 'row',
      version,
      configuration: { component, configurationId, name: 'rows', version: ofConfiguration },
    })
    const expectEvent = async (event: string, what: string, params: object, objectId = 'r1') => {
      const found = await eventOf(`componentConfigurationRow${event}`, objectId)
      expect(found).toMatchObject({
        message: `${what} component configuration row "row" (${component})`,
        objectType: 'componentConfigurationRow',
        objectId,
        objectName: 'row',
      })
      expect(JSON.stringify(found.params)).toBe(JSON.stringify(params))
    }

    await send('POST', configs, { configurationId, name: 'rows' })
    await send('POST', rows, { rowId: 'r1', name: 'row' })
    await expectEvent('Created', 'Created', row('r1', 1, 2))
    await send('PUT', `${rows}/r1`, { configuration: { a: 1 } })
    await expectEvent('Changed', 'Changed', row('r1', 2, 3))
    const { id: copyId } = await send('POST', `${rows}/r1/versions/1/create`)
    const copied = { ...row(copyId, 1, 4), sourceRow: row('r1', 1, 3) }
    await expectEvent('Copied', 'Copied', copied, copyId)
    await send('POST', `${rows}/r1/versions/1/rollback`)
    await expectEvent('RolledBack', 'Rolled back', { ...row('r1', 3, 5), sourceRow: row('r1', 1, 4) })
    await send('PUT', `${rows}/r1/state`, { state: { at: 1 } })
    await expectEvent('StateChanged', 'Changed state of', row('r1', 3, 5))
    await send('DELETE', `${rows}/r1`)
    await expectEvent('Deleted', 'Deleted', row('r1', 3, 6))
  })

  it('has events of its metadata', async () => {
    const configurationId = newName()
    const metadata = `${configs}/${configurationId}/metadata`
    await send('POST', configs, { configurationId, name: 'meta' })
    const items = [{ key: 'KBC.configuration.folderName', value: 'a' }]
    const [{ id }] = await send('POST', metadata, { metadata: items })
    const about = { component, configurationId, name: 'meta', version: 1 }
    expect(await eventOf('componentConfigurationMetadataSet', configurationId)).toMatchObject({
      message: `Component configuration metadata set "meta" (${component})`,
      params: about,
      results: { metadata: items },
    })
    await send('DELETE', `${metadata}/${id}`)
    expect(await eventOf('componentConfigurationMetadataDeleted', configurationId)).toMatchObject({
      message: `Deleted component configuration metadata id "${id}" with key "${items[0]?.key}"`,
      params: { ...about, metadataId: Number(id), key: items[0]?.key },
    })
  })

  it('that is searched for is said with every parameter', async () => {
    const since = (await send('GET', 'events?limit=1'))[0].uuid
    await send(
      'GET',
      `branch/default/search/component-configurations?idComponent=${component}&metadataKeys[]=a`,
    )
    const q = 'event:storage.componentsSearched'
    const [found] = await send('GET', `events?sinceId=${since}&q=${q}`)
    expect(found).toMatchObject({ message: 'Components were searched', objectId: null })
    expect(JSON.stringify(found.params)).toBe(
      JSON.stringify({ idComponent: component, configurationId: null, metadataKeys: ['a'], include: [] }),
    )
  })
})

describe('a token', () => {
  it('has an event for each change, never with its value, which the token reads itself', async () => {
    const token = await send('POST', 'tokens', { description: 'watched' })
    const as = (value: string) => ({ 'X-StorageApi-Token': value })
    const about = { objectType: 'token', objectId: token.id }
    expect(await eventOf('tokenCreated', token.id)).toMatchObject({ ...about, objectName: 'watched' })
    await send('PUT', `tokens/${token.id}`, { description: 'renamed' })
    expect(await eventOf('tokenUpdated', token.id)).toMatchObject({ params: { description: 'renamed' } })
    const refreshed = await target.call('POST', `tokens/${token.id}/refresh`, undefined, as(token.token))
    const own = await target.call('GET', `tokens/${token.id}/events`, undefined, as(refreshed.body.token))
    expect(own.body.map(({ event }: { event: string }) => event)).toEqual([
      'storage.tokenRefreshed',
      'storage.tokenUpdated',
      'storage.tokenCreated',
    ])
    expect(own.text).not.toContain(token.token)
    expect(own.text).not.toContain(refreshed.body.token)
    const { body: others } = await target.call('GET', 'events', undefined, as(refreshed.body.token))
    expect(others.every(({ objectType }: { objectType: string }) => objectType === 'token')).toBe(true)
    await send('DELETE', `tokens/${token.id}`)
    expect(await eventOf('tokenDeleted', token.id)).toMatchObject({ ...about, objectName: 'renamed' })
  })
})

describe('a branch', () => {
  it('has an event for each change, with its name before the change', async () => {
    const name = newName()
    const { results: branch } = await target.job('POST', 'dev-branches', { name })
    expect(await eventOf('devBranchCreated', branch.id)).toMatchObject({
      objectType: 'devBranch',
      objectName: name,
      context: { async: true },
    })
    await send('PUT', `dev-branches/${branch.id}`, { name: `${name}-b` })
    expect(await eventOf('devBranchUpdated', branch.id)).toMatchObject({
      objectName: name,
      params: { devBranchName: `${name}-b` },
    })
    const metadata = [{ key: 'k', value: 'v' }]
    const [{ id }] = await send('POST', `branch/${branch.id}/metadata`, { metadata })
    await send('DELETE', `branch/${branch.id}/metadata/${id}`)
    const { body: inside } = await target.call('GET', `branch/${branch.id}/events`)
    expect(inside).toMatchObject([
      {
        event: 'storage.devBranchMetadataDeleted',
        message: `Development branch "${name}-b" metadata with key "k" deleted`,
        params: { metadataId: Number(id), key: 'k' },
      },
      {
        event: 'storage.devBranchMetadataSet',
        message: `Development branch "${name}-b" metadata set`,
        params: { metadata },
      },
    ])
    await target.job('DELETE', `dev-branches/${branch.id}`)
    expect(await eventOf('devBranchDeleted', branch.id)).toMatchObject({ objectName: `${name}-b` })
  })
})

describe('buckets, tables and files', () => {
  it('have events of every change, listing and export', async () => {
    const bucketId = await target.createBucket(newName())
    expect(await eventOf('bucketCreated', bucketId)).toMatchObject({
      objectType: 'bucket',
      params: { stage: 'in' },
    })
    await send('GET', `buckets/${bucketId}/tables`)
    const { body: ofBucket } = await target.call('GET', `buckets/${bucketId}/events`)
    expect(ofBucket).toMatchObject([
      { event: 'storage.tablesListed', message: 'Listed tables', objectId: bucketId, objectType: 'bucket' },
      { event: 'storage.bucketCreated', objectId: bucketId },
    ])
    const since = ofBucket[0].uuid
    await send('GET', 'buckets')
    expect(await send('GET', `events?sinceId=${since}&q=event:storage.bucketsListed`)).toHaveLength(1)

    const dataFileId = await target.upload('id,city\n1,Prague\n')
    expect(await eventOf('fileUploaded', dataFileId)).toMatchObject({ objectType: 'file' })
    const created = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 'orders',
      dataFileId,
    })
    const tableId = created.results.id
    const about = { objectType: 'table', objectId: tableId, objectName: 'orders' }
    const attachments = [
      {
        isSliced: false,
        uploadType: 'userUpload',
        isExpired: false,
        name: 'data.csv',
        id: dataFileId,
        created: expect.any(String),
        url: expect.stringContaining(String(dataFileId)),
        sizeBytes: expect.any(Number),
      },
    ]
    expect(await eventOf('tableImportDone', tableId)).toMatchObject({
      ...about,
      attachments,
      performance: { duration: expect.any(Number) },
      context: { async: true },
    })
    expect(await eventOf('tableCreated', tableId)).toMatchObject({ ...about, attachments: [] })
    const table = `tables/${tableId}`
    const jobs: [string, string, string, object?][] = [
      ['tableImportDone', 'POST', `${table}/import-async`, { dataFileId }],
      ['tableExported', 'POST', `${table}/export-async`],
      ['tableColumnAdded', 'POST', `${table}/columns`, { name: 'added' }],
      ['tableColumnDeleted', 'DELETE', `${table}/columns/added`],
      ['tablePrimaryKeyAdded', 'POST', `${table}/primary-key`, { columns: ['id', 'city'] }],
      ['tablePrimaryKeyDeleted', 'DELETE', `${table}/primary-key`],
      ['tableRowsDeleted', 'DELETE', `${table}/rows?whereColumn=id&whereValues[]=1`],
      ['tableSnapshotCreated', 'POST', `${table}/snapshots`],
    ]
    for (const [event, method, path, body] of jobs) {
      const { status, error } = await target.job(method, path, body)
      expect([event, status, error]).toEqual([event, 'success', undefined])
      expect(await eventOf(event, tableId)).toMatchObject(about)
    }
    const provider = 'user'
    const metadata = [{ key: 'k', value: 'v' }]
    const requests: [string, string, string, object?][] = [
      ['tableDetail', 'GET', table],
      ['tableDataPreview', 'GET', `${table}/data-preview`],
      ['tableUpdated', 'PUT', table, { displayName: 'renamed' }],
      ['tableMetadataSet', 'POST', `${table}/metadata`, { provider, metadata }],
      ['columnMetadataSet', 'POST', `columns/${tableId}.id/metadata`, { provider, metadata }],
      ['tableDeleted', 'DELETE', table],
    ]
    for (const [event, method, path, body] of requests) {
      await send(method, path, body)
      expect(await eventOf(event, tableId)).toMatchObject(about)
    }
    await send('POST', `files/${dataFileId}/tags`, { tag: 'a' })
    expect(await eventOf('fileTagAdded', dataFileId)).toMatchObject({ params: { tag: 'a' } })
    await send('DELETE', `files/${dataFileId}/tags/a`)
    expect(await eventOf('fileTagDeleted', dataFileId)).toMatchObject({ params: { tag: 'a' } })
    await send('DELETE', `files/${dataFileId}`)
    expect(await eventOf('fileDeleted', dataFileId)).toMatchObject({ objectType: 'file' })
    const [{ id }] = await send('POST', `buckets/${bucketId}/metadata`, { provider, metadata })
    expect(await eventOf('bucketMetadataSet', bucketId)).toMatchObject({ params: { provider, metadata } })
    await send('DELETE', `buckets/${bucketId}/metadata/${id}`)
    expect(await eventOf('bucketMetadataDeleted', bucketId)).toMatchObject({ params: { key: 'k' } })
    await send('PUT', `buckets/${bucketId}`, { displayName: newName() })
    expect(await eventOf('bucketUpdated', bucketId)).toMatchObject({ objectType: 'bucket' })
    await send('DELETE', `buckets/${bucketId}`)
    expect(await eventOf('bucketDeleted', bucketId)).toMatchObject({ params: { force: false } })
  })
})
