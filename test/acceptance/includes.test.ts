import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('includes')
const dataFileId = await target.upload('id,name\n1,a\n')
const created = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'rows', dataFileId })
const tableId = created.results.id
await target.call('POST', `tables/${tableId}/metadata`, {
  provider: 'user',
  metadata: [{ key: 'includes.table', value: tableId }],
  columnsMetadata: { name: [{ key: 'includes.column', value: '1' }] },
})
await target.call('POST', `buckets/${bucketId}/metadata`, {
  provider: 'user',
  metadata: [{ key: 'includes.bucket', value: '1' }],
})

const date = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+0000$/)
const metadatum = (key: string) =>
  ({ id: expect.any(String), key, value: expect.any(String), provider: 'user', timestamp: date }) as const

const bucket = () => ({
  uri: `${target.url}/v2/storage/buckets/${bucketId}`,
  id: bucketId,
  name: expect.stringMatching(/^c-/),
  displayName: expect.any(String),
  idBranch: expect.any(Number),
  stage: 'in',
  description: '',
  tables: expect.any(String),
  created: date,
  lastChangeDate: date,
  // By its metadata.
  updated: date,
  isReadOnly: false,
  dataSizeBytes: expect.any(Number),
  rowsCount: 1,
  isMaintenance: false,
  backend: expect.any(String),
  sharing: null,
  hasExternalSchema: false,
  isLinkedBucket: false,
  color: null,
  owner: null,
})

const bare = () => ({
  uri: `${target.url}/v2/storage/tables/${tableId}`,
  id: tableId,
  name: 'rows',
  displayName: 'rows',
  transactional: false,
  primaryKey: [],
  created: date,
  lastImportDate: date,
  lastChangeDate: date,
  rowsCount: 1,
  dataSizeBytes: expect.any(Number),
  isAlias: false,
  isAliasable: true,
  isTyped: false,
  tableType: 'table',
  path: expect.any(String),
})
const optionalKeys = ['bucket', 'columns', 'metadata', 'columnMetadata', 'attributes']

/** The table in a list, and which of the optional keys it has. */
const listed = async (path: string) => {
  const { status, body } = await target.call('GET', path)
  expect(status).toBe(200)
  const table = body.find(({ id }: { id: string }) => id === tableId)
  return { table, keys: optionalKeys.filter(key => Object.hasOwn(table, key)) }
}

const lists = () => [
  'tables?',
  `buckets/${bucketId}/tables?`,
  `search/tables?metadataKey=includes.table&metadataValue=${tableId}&`,
]

describe('a list of tables', () => {
  it('shows each with its bucket and metadata, and without columns, when nothing is asked for', async () => {
    for (const list of lists()) {
      const { table, keys } = await listed(list)
      expect(keys).toEqual(['bucket', 'metadata'])
      expect(table).toMatchObject({
        ...bare(),
        bucket: bucket(),
        metadata: [metadatum('includes.table')],
      })
    }
  })

  it('shows neither with an empty include', async () => {
    for (const list of lists()) {
      const { table, keys } = await listed(`${list}include=`)
      expect(keys).toEqual([])
      expect(table).toMatchObject(bare())
    }
  })

  it.each([
    ['buckets', ['bucket']],
    ['columns', ['columns']],
    ['metadata', ['metadata']],
    ['columnMetadata', ['columnMetadata']],
    ['attributes', ['attributes']],
    ['columns,columnMetadata,buckets', ['bucket', 'columns', 'columnMetadata']],
  ])('shows with include=%s exactly %j', async (include, expected) => {
    for (const list of lists()) expect((await listed(`${list}include=${include}`)).keys).toEqual(expected)
  })

  it('shows of column metadata only columns that have some', async () => {
    const { table } = await listed('tables?include=columnMetadata')
    expect(table.columnMetadata).toEqual({ name: [metadatum('includes.column')] })
  })

  it('names what may be included when asked for something else', async () => {
    for (const list of lists()) {
      const { status, body } = await target.call('GET', `${list}include=columns,everything`)
      const message =
        'Invalid include parameters: "everything". Only following are allowed: buckets, columns, metadata, columnMetadata, sourceMetadata, sourceColumnMetadata, attributes.'
      expect(status).toBe(400)
      expect(body).toMatchObject({ errors: [{ key: 'include', message }] })
      expect(body.error).toMatch(/^Invalid request/)
    }
  })
})

describe('the detail of a table', () => {
  it('has its bucket with the metadata of that', async () => {
    const { body } = await target.call('GET', `tables/${tableId}`)
    expect(body).toMatchObject({
      ...bare(),
      columns: ['id', 'name'],
      metadata: [metadatum('includes.table')],
      columnMetadata: { name: [metadatum('includes.column')] },
      bucket: { ...bucket(), metadata: [metadatum('includes.bucket')] },
    })
  })
})

describe('buckets', () => {
  it('have metadata in a list only when it is asked for, an empty list when there are none', async () => {
    const find = async (query: string) =>
      (await target.call('GET', `buckets${query}`)).body.find(({ id }: { id: string }) => id === bucketId)
    const nothing = await find('?include=')
    expect(nothing).toMatchObject(bucket())
    expect(nothing).not.toHaveProperty('metadata')
    expect(nothing).not.toHaveProperty('linkedBuckets')
    expect((await find('?include=metadata')).metadata).toEqual([metadatum('includes.bucket')])
    const other = await target.createBucket('includes-empty')
    const { body: all } = await target.call('GET', 'buckets?include=metadata')
    expect(all.find(({ id }: { id: string }) => id === other).metadata).toEqual([])
    expect((await target.call('GET', 'buckets?include=tables')).status).toBe(400)
  })

  it('have their tables in the detail, with what is included and without the bucket again', async () => {
    const plain = (await target.call('GET', `buckets/${bucketId}`)).body
    expect(plain).toMatchObject({
      ...bucket(),
      attributes: [],
      metadata: [metadatum('includes.bucket')],
      tables: [bare()],
    })
    expect(optionalKeys.filter(key => Object.hasOwn(plain.tables[0], key))).toEqual([])
    const { body } = await target.call('GET', `buckets/${bucketId}?include=metadata,columns,columnMetadata`)
    expect(body.tables).toMatchObject([
      {
        columns: ['id', 'name'],
        metadata: [metadatum('includes.table')],
        columnMetadata: { name: [metadatum('includes.column')] },
      },
    ])
    expect(body.tables[0]).not.toHaveProperty('bucket')
  })
})

describe('configurations', () => {
  const configs = 'components/keboola.runner-config-test/configs'
  let id: string
  beforeAll(async () => {
    id = (await target.call('POST', configs, { name: 'included', state: { a: 1 } })).body.id
    await target.call('POST', `${configs}/${id}/rows`, { rowId: 'r', name: 'row', state: { b: 2 } })
  })
  afterAll(async () => {
    for (let times = 0; times < 2; times++) await target.call('DELETE', `${configs}/${id}`)
  })

  const parts = ['configuration', 'rows', 'state']
  const found = async (query: string) => {
    const { body } = await target.call('GET', `components${query}`)
    const component = body.find((each: { id: string }) => each.id === 'keboola.runner-config-test')
    return component.configurations.find((each: { id: string }) => each.id === id)
  }

  it.each([
    ['', []],
    ['?include=', []],
    ['?include=configuration', ['configuration']],
    ['?include=state', ['state']],
    ['?include=rows', ['rows']],
    ['?include=rows,state', ['rows', 'state']],
    ['?include=configuration,rows,state', ['configuration', 'rows', 'state']],
  ])('are listed by their components%s with %j, rows with the same of those', async (query, expected) => {
    const configuration = await found(query)
    expect(parts.filter(part => Object.hasOwn(configuration, part))).toEqual(expected)
    if (!expected.includes('rows')) return
    expect(configuration.rows).toMatchObject([{ id: 'r', name: 'row', version: 1 }])
    expect(parts.filter(part => Object.hasOwn(configuration.rows[0], part))).toEqual(
      expected.filter(part => part !== 'rows'),
    )
  })

  it('refuse another part by name', async () => {
    const { status, body } = await target.call('GET', 'components?include=invalid')
    const message =
      'Invalid include parameters: "invalid". Only following are allowed: configuration, rows, state.'
    expect(status).toBe(400)
    expect(body.error).toMatch(/^Invalid request/)
    expect(body.errors).toEqual([{ key: 'include', message }])
  })

  it('have versions with the parts that are asked for', async () => {
    const base = {
      version: 2,
      created: date,
      creatorToken: { id: expect.any(Number), description: expect.any(String) },
      changeDescription: 'Row r added',
      isDeleted: false,
      versionIdentifier: expect.any(String),
      name: 'included',
      description: '',
    }
    const list = async (of: string, query: string) =>
      (await target.call('GET', `${configs}/${id}/${of}versions${query}`)).body[0]
    expect(await list('', '')).toEqual(base)
    const { description: _, ...undescribed } = base
    expect(await list('', '?include=name,state')).toEqual(undescribed)
    expect(await list('', '?include=name,description,configuration,rows,isDisabled')).toMatchObject({
      ...base,
      configuration: {},
      isDisabled: false,
      rows: [{ id: 'r', version: 1 }],
    })
    expect(await list('rows/r/', '')).not.toHaveProperty('configuration')
    expect(await list('rows/r/', '?include=configuration,state')).toMatchObject({ configuration: {} })
    expect((await target.call('GET', `${configs}/${id}/versions?include=everything`)).status).toBe(400)
  })
})

describe('the index', () => {
  it('leaves out components, or their details', async () => {
    const full = (await target.call('GET', '')).body
    const [component] = full.components
    expect(component).toMatchObject({ id: expect.any(String), uri: expect.any(String), data: {} })
    expect((await target.call('GET', '?exclude=components')).body).not.toHaveProperty('components')
    const { components } = (await target.call('GET', '?exclude=componentDetails')).body
    expect(components).toHaveLength(full.components.length)
    expect(Object.keys(components[0]).toSorted()).toEqual(
      'categories,description,features,flags,ico128,ico64,id,name,type,uri'.split(','),
    )
    expect((await target.call('GET', '?exclude=everything')).status).toBe(400)
  })
})
